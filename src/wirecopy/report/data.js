"use strict";
// What every view stands on: the data that the page carries, elements made of them, and the words they are told in.
// Scraped text only ever becomes the text of a node or the value of an attribute that cannot run.

const RELATIONS = ["identical", "near-duplicate", "contains", "contained-in", "partial", "form"];
const KINDS = ["same", "reworded", "inserted", "dropped", "added", "cut", "spelled", "boilerplate"];
const head = JSON.parse(document.getElementById("head").textContent);
let index = null;

// Elements

/** The element with attributes, listeners (`on…`), custom properties (`--…`) and children; what is null is left out. */
function furnish(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name.startsWith("--")) element.style.setProperty(name, value);
    else element.setAttribute(name, value === true ? "" : value);
  }
  for (const child of children.flat(3)) {
    if (child !== null && child !== undefined && child !== false) element.append(child);
  }
  return element;
}

const make = (name, attributes = {}, ...children) => furnish(document.createElement(name), attributes, children);
const draw = (name, attributes = {}, ...children) =>
  furnish(document.createElementNS("http://www.w3.org/2000/svg", name), attributes, children);

/** Scraped text, isolated, so that what is written from right to left turns nothing around it. */
const said = (text, fallback = "") => (text ? make("bdi", {}, String(text)) : fallback);

/** The address of a view inside this page. */
function address(section, parts = [], options = {}) {
  const path = [section, ...parts].map(encodeURIComponent).join("/");
  const given = Object.entries(options).flatMap(([name, value]) => [value].flat().filter(Boolean).map((one) => [name, one]));
  return `#${path}${suffix(new URLSearchParams(given))}`;
}

/** Options as they stand at the end of an address. */
const suffix = (options) => (String(options) ? `?${options}` : "");

/** A link to the web, or nothing where the address is none that may be followed. */
function outside(url, ...children) {
  if (!/^https?:\/\/[^\s/]/i.test(url || "")) return null;
  return make("a", { href: url, rel: "noreferrer noopener", target: "_blank", class: "outside" }, ...children);
}

// Words

const figures = new Intl.NumberFormat("en");
const number = (value) => figures.format(value);

/** How many of what: `1 story`, `1,204 stories`. */
function count(many, one, more = one.endsWith("y") ? `${one.slice(0, -1)}ies` : `${one}s`) {
  return `${number(many)} ${many === 1 ? one : more}`;
}

/** A share in words: all is said only of all, nothing only of nothing. */
function percent(share) {
  if (share > 0 && share < 0.01) return "under 1 %";
  return `${share >= 0.99 && share < 1 ? 99 : Math.round(share * 100)} %`;
}

const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/** A date as people write it, in the zone it came in; what is no date stays as it is. */
function told(date, withTime = true) {
  const found = /^(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d:\d\d)\S*?(Z|[+-]\d\d:?\d\d)?)?$/.exec(date || "");
  if (!found || !MONTHS[found[2] - 1]) return date || "";
  const [, year, month, day, clock, zone] = found;
  const time = withTime && clock ? `, ${clock}${zone && !/^(Z|[+-]00:?00)$/.test(zone) ? ` ${zone}` : ""}` : "";
  return `${Number(day)} ${MONTHS[month - 1]} ${year}${time}`;
}

const when = (date, withTime = true) =>
  date ? make("time", { datetime: date }, said(told(date, withTime))) : make("span", { class: "quiet" }, "undated");

/** How long something took, in its largest unit. */
function lasting(seconds) {
  const units = [["day", 86400], ["hour", 3600], ["minute", 60], ["second", 1]];
  const [name, size] = units.find(([, size]) => seconds >= size) || units[3];
  return count(Math.round(seconds / size), name);
}

const RELATION_WORDS = {
  "identical": "the same words",
  "near-duplicate": "each is nearly all in the other",
  "contains": "the later holds all of the earlier, and more",
  "contained-in": "the later is a part of the earlier",
  "partial": "they share some passages",
  "form": "one form, filled in anew: no copy",
};

const BASIS_WORDS = {
  "only": "only: no other earlier article is so close",
  "clear": "clear: more equal words than any other",
  "tied": "tied: others have as many equal words, this is the earliest of them",
  "same-time": "same time: which came first is not known",
  "undated": "undated: which came first is not known",
};

const LINK_WORDS = {
  "partial": ["shares a part with the earlier", "shares a part with the later"],
  "form": ["is in one form with the earlier", "is in one form with the later"],
  "collects": ["collects", "is collected by"],
  "continues": ["continues", "is continued by"],
};

/** An article's name in a sentence: its source, or else its title or id. */
const named = (article, id) => said((article && (article.source || article.title)) || id);

/** The language of a text, where it is one that a browser can use. */
const language = (article) => (/^[a-z]{2,3}(-[a-z0-9]{2,8})*$/i.test(article.language || "") ? article.language : null);

// Blocks

/** What a packed element holds: JSON, deflated, in base64. */
async function unpack(element) {
  const packed = atob(element.textContent);
  const bytes = new Uint8Array(packed.length);
  for (let place = 0; place < packed.length; place += 1) bytes[place] = packed.charCodeAt(place);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  return new Response(stream).json();
}

/** An element that may stand in a part of the file that is still being read: it is whole when something follows it. */
function arrive(id) {
  return new Promise((resolve, reject) => {
    const look = () => {
      const element = document.getElementById(id);
      const over = document.readyState !== "loading";
      if (!over && !(element && element.nextSibling)) return;
      observer.disconnect();
      document.removeEventListener("readystatechange", look);
      if (element) resolve(element);
      else reject(new Error("a part of this file is missing: it may have been cut short when it was copied"));
    };
    const observer = new MutationObserver(look);
    observer.observe(document.body, { childList: true });
    document.addEventListener("readystatechange", look);
    look();
  });
}

const KEPT_BLOCKS = 8;
const blocks = new Map();

/** A block, unpacked; the last few are kept. */
function block(place) {
  const known = blocks.get(place) || arrive(`block-${place}`).then(unpack);
  blocks.delete(place);
  blocks.set(place, known);
  if (blocks.size > KEPT_BLOCKS) blocks.delete(blocks.keys().next().value);
  return known;
}

/** The entry of a row of the index. */
async function entryAt(row) {
  return (await block(Math.floor(row / head.block_stories))).stories[row % head.block_stories];
}

const articleIds = (story) => story.articles.map((one) => one.id || one);

/** The section that a row of the index is listed in. */
const SECTION_OF = { story: "stories", collection: "collections", series: "series", matches: "matches" };
/** The view that tells one row of it. */
const VIEW_OF = { story: "story", collection: "story", series: "series", matches: "matches" };

/** The first row of a view of whose entry something is true, or -1. All blocks may be gone through. */
async function seek(view, fits) {
  for (let row = 0; row < index.id.length; row += 1) {
    if ((!view || VIEW_OF[index.kind[row]] === view) && fits(await entryAt(row))) return row;
  }
  return -1;
}

/** The row that has an id, or one of whose articles has. */
async function rowOf(view, id) {
  const row = index.id.findIndex((one, place) => one === id && VIEW_OF[index.kind[place]] === view);
  return row >= 0 ? row : seek(view, (entry) => articleIds(entry.story).includes(id));
}

/** The flat numbers of a pair as pieces: each starts so far behind the last one, and is so long, in both texts. */
function piecesOf(numbers) {
  const pieces = [];
  let query = [0, 0];
  let found = [0, 0];
  const next = (last, gap, length) => [last[1] + gap, last[1] + gap + length];
  for (let at = 0; at < numbers.length; at += 6) {
    const [kind, gap, length, foundGap, foundLength, flags] = numbers.slice(at, at + 6);
    query = next(query, gap, length);
    found = next(found, foundGap, foundLength);
    const [passage, minor, moved] = [flags >> 2, Boolean(flags & 2), Boolean(flags & 1)];
    pieces.push({ kind: KINDS[kind], query, found, passage, minor, moved, on: {} });
  }
  return pieces;
}
