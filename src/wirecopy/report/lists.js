// The overview, the lists with their facets, and what the report says about itself.

/** A view: what stands on the page, its title, what its keys do, and what is done once it stands there. */
const view = (title, element, { keys = {}, ready = null, back = null } = {}) => ({ title, element, keys, ready, back });

const section = (title, ...children) => make("section", {}, make("h2", {}, title), ...children);

const SECTIONS = {
  stories: { kind: "story", title: "Stories", one: "story", none: "No copies were found" },
  collections: { kind: "collection", title: "Collections", one: "collection", none: "No digest or live blog was found",
    lead: "A digest or live blog, which holds several articles that share nothing with each other. It joins none of their stories." },
  series: { kind: "series", title: "Series", one: "series", none: "No form that is filled in again was found",
    lead: "Articles in one form, filled in anew each time: weather, markets, results. They are no copies and in no story." },
  matches: { kind: "matches", title: "Other matches", one: "article with matches", none: "Nothing more is shared",
    lead: "What an article shares with others that are not in its story." },
};

// Overview

function overview() {
  const { counts, about } = head;
  const found = counts.stories + counts.collections + counts.series || counts.matches;
  const title = make("h1", {}, said(head.title));
  if (!found) {
    const none = make("p", { class: "lead" }, `No copies were found among ${count(counts.articles, "article")}.`);
    return view("Overview", make("article", { class: "page" }, title, none, skipped(), boilerplate()));
  }
  const figures = [["articles", "Articles"], ["stories", "Stories"], ["versions", "Versions"], ["collections", "Collections"],
    ["series", "Series"], ["sources", "Sources"], ["matches", "Matches"]];
  return view("Overview", make("article", { class: "page" },
    title,
    make("p", { class: "lead" }, leading(counts), about.top ? ` The ${count(about.top, "largest story")} are shown.` : ""),
    make("dl", { class: "figures" }, figures.filter(([name]) => counts[name]).map(([name, told]) =>
      make("div", {}, make("dt", {}, told), make("dd", {}, number(counts[name]))))),
    skipped(),
    make("div", { class: "halves" }, relations(), largest()),
    overTime(),
    copied(),
    boilerplate()));
}

function leading(counts) {
  const from = counts.sources ? ` from ${count(counts.sources, "source")}` : "";
  const stories = counts.stories === 1 ? "one story is" : `${number(counts.stories)} stories are`;
  return `Among ${count(counts.articles, "article")}${from}, ${counts.stories ? stories : "no story is"} told in the same words more than once.`;
}

const skipped = () => head.counts.skipped
  ? make("p", { class: "note" }, `${count(head.counts.skipped, "record")} could not be used and ${head.counts.skipped === 1 ? "is" : "are"} not in it.`)
  : null;

function relations() {
  const most = Math.max(1, ...Object.values(head.relations));
  return section("How they match", make("table", { class: "bars" },
    make("caption", { class: "unseen" }, "Matches by relation"),
    make("thead", { class: "unseen" }, make("tr", {}, ["Relation", "Matches", "Part"].map((one) => make("th", { scope: "col" }, one)))),
    make("tbody", {}, RELATIONS.filter((one) => head.relations[one]).map((one) => make("tr", {},
      make("th", { scope: "row" }, one, make("small", {}, RELATION_WORDS[one])),
      make("td", { class: "number" }, number(head.relations[one])),
      make("td", { class: "bar", "aria-hidden": "true" }, make("i", { "--part": head.relations[one] / most })))))));
}

function largest() {
  const rows = index.kind.flatMap((kind, row) => (kind === "story" ? [row] : [])).slice(0, 7);
  if (!rows.length) return null;
  return section("Largest stories", make("ol", { class: "plain" }, rows.map((row) => make("li", {},
    make("a", { href: address("story", [index.id[row]]) }, said(index.title[row], "Without a title")),
    make("small", {}, `${count(index.articles[row], "article")} from ${count(index.sources[row].length, "source")}`, ` · ${told(index.first[row], false)}`)))),
  make("p", {}, make("a", { href: "#stories" }, `All ${count(head.counts.stories, "story")}`)));
}

/** Bars of articles, and in front of them of copies; each bar leads to the stories that began then. */
function overTime() {
  const { unit, from, articles, copies } = head.over_time;
  if (from.length < 2) return null;
  const most = Math.max(1, ...articles);
  const height = 120;
  const step = 100 / from.length;
  const last = (place) => (place + 1 < from.length ? dayBefore(from[place + 1]) : "");
  const bars = from.map((start, place) => draw("a", { href: address("stories", [], { from: start, to: last(place) }) },
    draw("title", {}, `${told(start)}: ${count(articles[place], "article")}, ${count(copies[place], "copy")}`),
    draw("rect", { class: "hit", x: `${place * step}%`, y: 0, width: `${step}%`, height }),
    [["all", articles[place]], ["copies", copies[place]]].map(([name, many]) => draw("rect", { class: name, x: `${place * step + step * 0.1}%`,
      y: height - (many / most) * height, width: `${step * 0.8}%`, height: (many / most) * height }))));
  const every = Math.ceil(from.length / 6);
  const labels = from.flatMap((start, place) => (place % every === 0 && place * step < 93
    ? [draw("text", { x: `${place * step}%`, y: height + 16 }, told(start, false))] : []));
  return section("Copies over time",
    make("p", { class: "legend" }, make("i", { class: "swatch all" }), `articles by ${unit}, at most ${number(most)}`, make("i", { class: "swatch copies" }), "of them copies"),
    draw("svg", { class: "chart", role: "group", "aria-label": `Articles and copies by ${unit}`, width: "100%", height: height + 22 }, bars,
      draw("line", { x1: 0, x2: "100%", y1: height + 0.5, y2: height + 0.5 }), labels));
}

const dayBefore = (date) => new Date(Date.parse(date.slice(0, 10)) - (date.length > 10 ? 0 : 86400000)).toISOString().slice(0, 10);

/** Who copies from whom: a row copies from the columns. */
function copied() {
  const { sources, counts } = head.copied;
  if (sources.length < 2) return null;
  const most = Math.max(1, ...counts.flat());
  const name = (place) => head.sources[place];
  return section("Who carries whose text",
    make("p", { class: "note" }, "How many articles of the source in the row most probably come from an earlier one of the source in the column."),
    make("div", { class: "wide", tabindex: "0", role: "region", "aria-label": "Source by source" }, make("table", { class: "matrix" },
      make("thead", {}, make("tr", {}, make("td", {}), sources.map((place) => make("th", { scope: "col" }, make("span", {}, said(name(place))))))),
      make("tbody", {}, counts.map((row, place) => make("tr", {}, make("th", { scope: "row" }, said(name(sources[place]))),
        row.map((many, other) => make("td", { "--part": Math.sqrt(many / most), class: many ? "some" : "" }, many
          ? make("a", { href: address("stories", [], { source: [...new Set([name(sources[place]), name(sources[other])])] }) }, number(many))
          : make("span", { class: "quiet" }, "·")))))))));
}

function boilerplate() {
  if (!head.boilerplate_count) return null;
  const listed = head.boilerplate.map((one) => make("li", {}, make("blockquote", { dir: "auto" }, one.example),
    make("small", {}, `in ${count(one.articles, "article")} of ${count(one.sources, "source")}`)));
  const more = head.boilerplate_count - head.boilerplate.length;
  return section("Boilerplate left out", make("details", {},
    make("summary", {}, `${count(head.boilerplate_count, "formula")} that ${head.boilerplate_count === 1 ? "is" : "are"} too common to be copying`),
    make("ul", { class: "plain formulas" }, listed), more ? make("p", { class: "note" }, `and ${number(more)} more`) : null));
}

// Lists

const SORTS = {
  size: ["most articles", (row) => -index.articles[row]],
  versions: ["most versions", (row) => -index.versions[row]],
  sources: ["most sources", (row) => -index.sources[row].length],
  first: ["first seen, oldest", (row) => index.moment[row] ?? Infinity],
  latest: ["first seen, newest", (row) => -(index.moment[row] ?? -Infinity)],
  words: ["longest", (row) => -index.words[row]],
  weakest: ["weakest tie", (row) => index.weakest[row]],
};
const SIZES = [2, 3, 5, 10, 20, 50];
const SOURCES_SHOWN = 8;
/** The rows that each list shows, in its order, and where it was left: for going through its stories, and back to it. */
const lists = {};

let haystacks = null;

/** What a row is searched in: title, id, sources; small letters, no accents. */
function haystack(row) {
  haystacks ||= new Array(index.id.length);
  return (haystacks[row] ||= plain([index.title[row] || "", index.id[row], ...index.sources[row].map((place) => head.sources[place])].join("\n")));
}

const plain = (text) => text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();

/** What is asked of a list by its address, as tests of a row by the name of their facet. */
function tests(options) {
  const words = plain(options.get("q") || "").split(/\s+/).filter(Boolean);
  const sources = options.getAll("source").map((name) => head.sources.indexOf(name));
  const masks = options.getAll("relation").map((name) => 1 << RELATIONS.indexOf(name));
  const size = Number(options.get("size")) || 0;
  const from = Date.parse(options.get("from") || "");
  const to = Date.parse(options.get("to") || "") + 86400000;
  return {
    q: (row) => words.every((word) => haystack(row).includes(word)),
    source: (row) => sources.every((place) => index.sources[row].includes(place)),
    relation: (row) => masks.every((mask) => index.relations[row] & mask),
    size: (row) => index.articles[row] >= size,
    date: (row) => (!from || index.moment[row] >= from) && (!to || (index.moment[row] !== null && index.moment[row] < to)),
  };
}

/** The rows of a kind that pass all tests but that of the facet named, for which one counts what there would be. */
function passing(kind, asked, but = "") {
  const used = Object.entries(asked).filter(([name]) => name !== but).map(([, test]) => test);
  const rows = [];
  for (let row = 0; row < index.id.length; row += 1) {
    if (index.kind[row] === kind && used.every((test) => test(row))) rows.push(row);
  }
  return rows;
}

function list(name, options) {
  const about = SECTIONS[name];
  const all = passing(about.kind, {});
  if (!all.length) {
    const none = make("p", { class: "lead" }, `${about.none} among ${count(head.counts.articles, "article")}.`);
    return view(about.title, make("article", { class: "page" }, make("h1", {}, about.title), none));
  }
  const rows = make("ol", { class: "rows" });
  const facets = make("form", { class: "facets", "aria-label": "Narrow down", onsubmit: (event) => event.preventDefault() });
  const told = make("p", { class: "told" });
  const sort = make("select", { "aria-label": "Order", onchange: (event) => change("sort", event.target.value) },
    Object.entries(SORTS).map(([key, [words]]) => make("option", { value: key }, words)));
  const search = make("input", { type: "search", id: "search", placeholder: "Search titles, ids, sources", "aria-label": "Search titles, ids, sources",
    value: options.get("q"), oninput: (event) => change("q", event.target.value) });
  const showing = virtual(rows, (row, place) => item(row, place));

  /** Another value of one facet: the address follows, and the list. */
  function change(key, ...values) {
    options.delete(key);
    values.filter(Boolean).forEach((value) => options.append(key, value));
    const kept = options.size ? `?${options}` : "";
    history.replaceState(null, "", `#${name}${kept}`);
    update();
  }

  function item(row, place) {
    return make("a", { href: address(VIEW_OF[about.kind], [index.id[row]]), "data-row": row },
      make("span", { class: "title" }, said(index.title[row], "Without a title")),
      make("span", { class: "from" }, index.sources[row].length ? said(head.sources[index.sources[row][0]]) : "no source",
        index.sources[row].length > 1 ? ` and ${number(index.sources[row].length - 1)} more` : "", " · ", when(index.first[row])),
      make("span", { class: "many" }, make("b", {}, number(index.articles[row])), " articles"),
      make("span", { class: "many" }, about.kind === "story" ? [make("b", {}, number(index.versions[row])), " versions"] : [make("b", {}, number(index.words[row])), " words"]),
      make("span", { class: "many kinds" }, RELATIONS.filter((_, bit) => index.relations[row] & (1 << bit)).join(", ").replaceAll("-", "\u2011")));
  }

  function update() {
    const asked = tests(options);
    const key = Object.hasOwn(SORTS, options.get("sort")) ? options.get("sort") : "size";
    const chosen = passing(about.kind, asked);
    const order = SORTS[key][1];
    if (key !== "size") chosen.sort((one, other) => order(one) - order(other) || one - other);
    sort.value = key;
    lists[name] = { rows: chosen, address: `#${name}${options.size ? `?${options}` : ""}` };
    const words = chosen.length === all.length ? count(all.length, about.one, about.title.toLowerCase())
      : `${number(chosen.length)} of ${count(all.length, about.one, about.title.toLowerCase())}`;
    told.textContent = words;
    announce(words);
    facets.replaceChildren(...facetsOf(about, options, asked, change));
    showing(chosen);
    rows.classList.toggle("none", !chosen.length);
  }

  const element = make("article", { class: "list" },
    make("header", {}, make("h1", {}, about.title), about.lead ? make("p", { class: "note" }, about.lead) : null, make("div", { class: "tools" }, search, sort, told)),
    make("details", { class: "narrow", open: matchMedia("(min-width: 52rem)").matches }, make("summary", {}, "Narrow down"), facets), rows);
  const step = (by) => {
    const chosen = lists[name].rows;
    const now = chosen.indexOf(Number(document.activeElement?.dataset?.row ?? -1));
    if (chosen.length) showing.focus(Math.min(chosen.length - 1, Math.max(0, now < 0 ? (by > 0 ? 0 : chosen.length - 1) : now + by)));
  };
  update();
  return view(about.title, element, { back: "#overview", keys: { j: () => step(1), k: () => step(-1), "/": () => search.focus() },
    ready: () => showing.start(lists[name].left) });
}

/** In how many rows each source is. */
function tallySources(rows) {
  const tally = new Map();
  for (const row of rows) for (const place of index.sources[row]) tally.set(place, (tally.get(place) || 0) + 1);
  return tally;
}

/** The facets as they stand, each choice with the number of rows that it would leave. */
function facetsOf(about, options, asked, change) {
  const box = (key, value, many, label) => {
    const chosen = options.getAll(key);
    const on = chosen.includes(value);
    const toggle = () => {
      change(key, ...(on ? chosen.filter((one) => one !== value) : [...chosen, value]));
      document.getElementById(`${key}-${value}`)?.focus();
    };
    return make("label", { class: "choice" }, make("input", { type: "checkbox", id: `${key}-${value}`, onchange: toggle, ...(on ? { checked: true } : {}) }),
      make("span", {}, label), make("span", { class: "number" }, number(many)));
  };
  const facet = (title, ...children) => make("fieldset", {}, make("legend", {}, title), ...children);
  const left = passing(about.kind, asked);
  const tally = tallySources(left);
  const all = tallySources(passing(about.kind, {}));
  const picked = options.getAll("source").map((name) => head.sources.indexOf(name));
  const most = [...all.keys()].sort((one, other) => all.get(other) - all.get(one) || one - other);
  const shown = most.filter((place, rank) => rank < SOURCES_SHOWN || picked.includes(place));
  const rest = most.filter((place) => !shown.includes(place) && tally.has(place));
  const more = rest.length ? make("select", { "aria-label": "Another source", onchange: (event) => change("source", ...options.getAll("source"), event.target.value) },
    make("option", { value: "" }, `${number(rest.length)} more…`),
    rest.map((place) => make("option", { value: head.sources[place] }, `${head.sources[place]} (${number(tally.get(place))})`))) : null;
  const dates = passing(about.kind, asked, "date").map((row) => index.first[row]).filter(Boolean).sort();
  const limit = { min: dates[0]?.slice(0, 10), max: dates.at(-1)?.slice(0, 10) };
  const date = (key, label) => make("label", { class: "date" }, make("span", {}, label), make("input", { type: "date", id: `date-${key}`, value: options.get(key), ...limit,
    onchange: (event) => change(key, event.target.value) }));
  const sizes = passing(about.kind, asked, "size");
  const size = (least) => {
    const on = (options.get("size") || "2") === String(least);
    return make("button", { type: "button", id: `size-${least}`, "aria-pressed": String(on), onclick: () => {
      change("size", least === 2 ? "" : String(least));
      document.getElementById(`size-${least}`)?.focus();
    } }, `${least}+`, make("span", { class: "unseen" }, ` articles: ${number(sizes.filter((row) => index.articles[row] >= least).length)}`));
  };
  const any = ["q", "source", "relation", "size", "from", "to"].some((key) => options.has(key));
  return [
    about.kind === "story" ? facet("Size", make("div", { class: "segments" }, SIZES.filter((least) => least === 2 || sizes.some((row) => index.articles[row] >= least)).map(size))) : null,
    dates.length ? facet("First seen", date("from", "from"), date("to", "to")) : null,
    about.kind === "series" ? null : facet("With a match that is", RELATIONS.map((name, bit) => [name, left.filter((row) => index.relations[row] & (1 << bit)).length])
      .filter(([name, many]) => many || options.getAll("relation").includes(name)).map(([name, many]) => box("relation", name, many, name))),
    shown.length ? facet("Carried by", shown.map((place) => box("source", head.sources[place], tally.get(place) || 0, said(head.sources[place]))), more) : null,
    any ? make("button", { type: "button", class: "clear", onclick: () => {
      ["q", "source", "relation", "size", "from", "to"].forEach((key) => options.delete(key));
      document.getElementById("search").value = "";
      change("from");
    } }, "Show all again") : null,
  ].filter(Boolean);
}

/** A list of any length of which only the rows in sight are made: called with the rows to show, `focus` goes to one. */
function virtual(element, item) {
  let rows = [];
  let height = 0;
  const made = new Map();
  const fill = () => {
    if (!element.isConnected) return;
    const top = -element.getBoundingClientRect().top;
    const first = Math.max(0, Math.floor(top / height) - 6);
    const last = Math.min(rows.length, Math.ceil((top + innerHeight) / height) + 6);
    for (const [place, one] of made) {
      if ((place < first || place >= last) && !one.contains(document.activeElement)) {
        one.remove();
        made.delete(place);
      }
    }
    for (let place = first; place < last; place += 1) {
      if (made.has(place)) continue;
      const one = make("li", { "--place": place, "aria-setsize": rows.length, "aria-posinset": place + 1 }, item(rows[place], place));
      const next = [...made.keys()].filter((other) => other > place).sort((a, b) => a - b)[0];
      element.insertBefore(one, next === undefined ? null : made.get(next));
      made.set(place, one);
    }
  };
  const measure = () => {
    height = parseFloat(getComputedStyle(element).getPropertyValue("--row")) || 60;
    fill();
  };
  const show = (chosen) => {
    rows = chosen;
    made.clear();
    element.replaceChildren();
    element.style.setProperty("--rows", rows.length);
    if (height) fill();
  };
  show.start = (left) => {
    if (left) scrollTo(0, left);
    measure();
    const stop = new AbortController();
    const unless = (act) => () => (element.isConnected ? act() : stop.abort());
    addEventListener("scroll", unless(() => requestAnimationFrame(fill)), { passive: true, signal: stop.signal });
    addEventListener("resize", unless(measure), { signal: stop.signal });
  };
  show.focus = (place) => {
    const top = element.getBoundingClientRect().top + scrollY + place * height;
    const above = document.getElementById("top").offsetHeight + 90;
    if (top < scrollY + above) scrollTo(0, top - above);
    else if (top + height > scrollY + innerHeight) scrollTo(0, top + height - innerHeight + 12);
    fill();
    made.get(place)?.querySelector("a").focus({ preventScroll: true });
  };
  return show;
}

// About

function aboutPage() {
  const { about, counts } = head;
  const rows = [["wirecopy", about.version], ["Made from", about.made_from.map((one) => make("div", {}, said(one)))], ["Preset", about.preset],
    ["Methods", about.methods.join(", ")], ...Object.entries(about.options).map(([name, value]) => [name, String(value)]),
    ["Texts", about.texts ? "in this file" : "left out"], ["Stories shown", about.top ? `the ${number(about.top)} largest` : "all"],
    ["Records skipped", number(counts.skipped)]];
  return view("About", make("article", { class: "page" }, make("h1", {}, "About this report"),
    make("p", { class: "lead" }, "One file, which needs no network and sends nothing anywhere. What matches was decided word by word; nothing here is an estimate."),
    make("dl", { class: "facts" }, rows.map(([name, value]) => make("div", {}, make("dt", {}, name), make("dd", {}, value)))),
    about.limits.length ? section("What it cannot see", make("ul", {}, about.limits.map((one) => make("li", {}, one)))) : null,
    section("Relations", make("dl", { class: "facts" }, RELATIONS.map((one) => make("div", {}, make("dt", {}, one), make("dd", {}, RELATION_WORDS[one]))))),
    section("Keys", keyTable())));
}

const KEYS = [["j", "k", "next, previous story; in a pair the next pair of its story"], ["n", "p", "next, previous passage"], ["m", "the other end of the passage"],
  ["d", "mark what is different, or not; in a checked text what is new"], ["l", "lock the two columns, or let go"], ["/", "search"], ["?", "these keys"], ["Esc", "back"]];

const keyTable = () => make("dl", { class: "facts keys" }, KEYS.map((row) => make("div", {},
  make("dt", {}, row.slice(0, -1).map((key) => [make("kbd", {}, key), " "])), make("dd", {}, row.at(-1)))));
