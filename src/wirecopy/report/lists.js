// The lists: stories, collections, series and other matches, with search, facets and order.
// A report on some matches only, or on queries, has nothing but the last of these.

const SECTIONS = {
  stories: { kind: "story", title: "Stories", one: "story", many: "stories", none: "No copies were found" },
  collections: { kind: "collection", title: "Collections", one: "collection", many: "collections",
    none: "No digest or live blog was found",
    lead: "A digest or live blog holds several articles that share nothing with each other. It joins none of their stories." },
  series: { kind: "series", title: "Series", one: "series", many: "series", none: "No form that is filled in again was found",
    lead: "Articles in one form, filled in anew each time: weather, markets, results. They are no copies, and in no story." },
  matches: { kind: "matches", title: "Other matches", one: "article", many: "articles", none: "Nothing more is shared",
    lead: "What an article shares with others that are not in its story.",
    alone: { title: "Matches", lead: "What an article shares with others." } },
};

/** The names of the sections that have rows. */
function listed() {
  const some = Object.keys(SECTIONS).filter((name) => index.kind.includes(SECTIONS[name].kind));
  return some.length ? some : ["stories"];
}

/** What is said of a section; matches that stand alone are not the other ones. */
const sectionOf = (name) => ({ ...SECTIONS[name], ...(listed()[0] === name ? SECTIONS[name].alone : {}) });

const SORTS = {
  size: ["most articles", (row) => -index.articles[row]],
  versions: ["most versions", (row) => -index.versions[row]],
  sources: ["most sources", (row) => -index.sources[row].length],
  first: ["first seen, oldest", (row) => index.moment[row] ?? Infinity],
  latest: ["first seen, newest", (row) => -(index.moment[row] ?? -Infinity)],
  words: ["longest", (row) => -index.words[row]],
  weakest: ["weakest tie", (row) => index.weakest[row]],
};
const FACETS = ["q", "source", "relation", "size", "from", "to"];
const DAY = 86400000;
/** What each list last showed, for going through it and back to it: its rows, its address, the row that was opened. */
const lists = {};
const haystacks = [];

const plain = (text) => text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();

/** What a row is searched in: title, id, sources; small letters, no accents. */
function haystack(row) {
  const sources = index.sources[row].map((place) => head.sources[place]);
  return (haystacks[row] ||= plain([index.title[row] || "", index.id[row], ...sources].join("\n")));
}

/** What an address asks of a list, as a test of a row for each facet. */
function testsOf(options) {
  const words = plain(options.get("q") || "").split(/\s+/).filter(Boolean);
  const sources = options.getAll("source").map((name) => head.sources.indexOf(name));
  const masks = options.getAll("relation").map((name) => 1 << RELATIONS.indexOf(name));
  const size = Number(options.get("size")) || 0;
  const from = Date.parse(options.get("from") || "") || -Infinity;
  const to = Date.parse(options.get("to") || "") + DAY || Infinity;
  const dated = options.get("from") || options.get("to");
  return {
    q: (row) => words.every((word) => haystack(row).includes(word)),
    source: (row) => sources.every((place) => index.sources[row].includes(place)),
    relation: (row) => masks.every((mask) => index.relations[row] & mask),
    size: (row) => index.articles[row] >= size,
    date: (row) => !dated || (index.moment[row] !== null && index.moment[row] >= from && index.moment[row] < to),
  };
}

/** The rows of a kind that pass all tests but that of one facet. */
function passing(kind, tests, but = "") {
  const used = Object.entries(tests).filter(([name]) => name !== but).map(([, test]) => test);
  const rows = [];
  for (let row = 0; row < index.id.length; row += 1) {
    if (index.kind[row] === kind && used.every((test) => test(row))) rows.push(row);
  }
  return rows;
}

function list(name, options) {
  const about = sectionOf(name);
  const all = passing(about.kind, {}).length;
  if (!all) {
    const none = make("p", { class: "lead" }, `${about.none} among ${count(head.counts.articles, "article")}.`);
    const page = make("article", { class: "page" }, make("h1", {}, about.title), none);
    return view(about.title, page, { back: "#overview", section: name });
  }
  const before = lists[name];
  const rows = make("ol", { class: "rows" });
  const showing = virtual(rows, (row) => item(about, row));
  const stay = (event) => event.preventDefault();
  const facets = make("form", { class: "facets", "aria-label": "Narrow down", onsubmit: stay });
  const told = make("p", { class: "told" });
  const words = "Search titles, ids, sources";
  const search = make("input", { type: "search", id: "search", placeholder: words, "aria-label": words,
    oninput: () => change("q", search.value) });
  const sort = make("select", { "aria-label": "Order", onchange: () => change("sort", sort.value) },
    Object.entries(SORTS).map(([key, [words]]) => make("option", { value: key }, words)));

  /** Other values of one facet: the address follows, and the list. */
  function change(key, ...values) {
    options.delete(key);
    values.filter(Boolean).forEach((value) => options.append(key, value));
    history.replaceState(null, "", `#${name}${suffix(options)}`);
    update();
  }

  function update() {
    const tests = testsOf(options);
    const key = Object.hasOwn(SORTS, options.get("sort")) ? options.get("sort") : "size";
    const chosen = passing(about.kind, tests);
    const order = SORTS[key][1];
    if (key !== "size") chosen.sort((one, next) => order(one) - order(next) || one - next);
    lists[name] = { rows: chosen, address: `#${name}${suffix(options)}` };
    sort.value = key;
    if (search.value !== (options.get("q") || "")) search.value = options.get("q") || "";
    told.textContent = `${chosen.length < all ? `${number(chosen.length)} of ` : ""}${count(all, about.one, about.many)}`;
    announce(told.textContent);
    const focused = document.activeElement?.id;
    facets.replaceChildren(...facetsOf(about, options, tests, change));
    if (focused && document.activeElement?.id !== focused) document.getElementById(focused)?.focus();
    rows.classList.toggle("none", !chosen.length);
    showing(chosen);
  }

  const step = (by) => {
    const chosen = lists[name].rows;
    const now = chosen.indexOf(Number(document.activeElement?.dataset?.row ?? -1));
    const next = now < 0 ? (by > 0 ? 0 : chosen.length - 1) : now + by;
    if (chosen.length) showing.focus(Math.min(chosen.length - 1, Math.max(0, next)));
  };
  const ready = () => {
    showing.start();
    const place = before?.address === location.hash ? lists[name].rows.indexOf(before.opened) : -1;
    if (place >= 0) showing.focus(place);
  };
  const wide = matchMedia("(min-width: 52rem)").matches;
  const element = make("article", { class: "list" },
    make("header", {}, make("h1", {}, about.title), about.lead ? make("p", { class: "note" }, about.lead) : null,
      make("div", { class: "tools" }, search, sort, told)),
    make("details", { class: "narrow", open: wide }, make("summary", {}, "Narrow down"), facets), rows);
  update();
  const keys = { j: () => step(1), k: () => step(-1), "/": () => search.focus() };
  return view(about.title, element, { back: "#overview", section: name, ready, keys });
}

/** A row of a list. */
function item(about, row) {
  const [first, ...others] = index.sources[row];
  const more = others.length ? ` and ${number(others.length)} more` : "";
  const from = [first === undefined ? "no source" : said(head.sources[first]), more];
  const related = RELATIONS.filter((_, bit) => index.relations[row] & (1 << bit)).join(", ").replaceAll("-", "\u2011");
  const many = (value, one) => make("span", { class: "many" }, make("b", {}, number(value)), ` ${value === 1 ? one : `${one}s`}`);
  return make("a", { href: address(VIEW_OF[about.kind], [index.id[row]]), "data-row": row },
    make("span", { class: "title" }, said(index.title[row], "Without a title")),
    make("span", { class: "from" }, from, " · ", when(index.first[row])),
    many(index.articles[row], "article"),
    about.kind === "story" ? many(index.versions[row], "version") : many(index.words[row], "word"),
    make("span", { class: "many kinds" }, related));
}

// Facets

const SIZES = [2, 3, 5, 10, 20, 50];
const SOURCES_SHOWN = 8;

/** The facets as they stand, each choice with the number of rows that it would leave. */
function facetsOf(about, options, tests, change) {
  const left = passing(about.kind, tests);
  const clear = () => {
    FACETS.forEach((key) => options.delete(key));
    change("q");
    document.getElementById("search").focus();
  };
  return [
    about.kind === "story" ? sizeFacet(passing(about.kind, tests, "size"), options, change) : null,
    dateFacet(passing(about.kind, tests, "date"), options, change),
    about.kind === "series" ? null : relationFacet(left, options, change),
    sourceFacet(about, left, options, change),
    FACETS.some((key) => options.has(key)) ? make("button", { type: "button", onclick: clear }, "Show all again") : null,
  ].filter(Boolean);
}

const facet = (title, ...children) => make("fieldset", {}, make("legend", {}, title), ...children);

/** A choice of a facet in which one may choose several. */
function choice(key, value, many, options, change) {
  const chosen = options.getAll(key);
  const on = chosen.includes(value);
  const toggle = () => change(key, ...(on ? chosen.filter((one) => one !== value) : [...chosen, value]));
  return make("label", { class: "choice" },
    make("input", { type: "checkbox", id: `${key}-${value}`, checked: on, onchange: toggle }),
    make("span", {}, said(value)), make("span", { class: "number" }, number(many)));
}

function sizeFacet(rows, options, change) {
  const button = (least) => {
    const on = (Number(options.get("size")) || 2) === least;
    const many = rows.filter((row) => index.articles[row] >= least).length;
    if (least > 2 && !many) return null;
    return make("button", { type: "button", id: `size-${least}`, "aria-pressed": String(on), title: count(many, "story"),
      onclick: () => change("size", least > 2 && String(least)) }, `${least}+`);
  };
  return facet("Articles", make("div", { class: "segments" }, SIZES.map(button)));
}

function dateFacet(rows, options, change) {
  const dates = rows.map((row) => index.first[row]).filter(Boolean).sort();
  if (!dates.length) return null;
  const [min, max] = [dates[0].slice(0, 10), dates.at(-1).slice(0, 10)];
  const field = (key) => make("label", { class: "date" }, make("span", {}, key), make("input", { type: "date", id: `date-${key}`,
    value: options.get(key), min, max, onchange: (event) => change(key, event.target.value) }));
  return facet("First seen", field("from"), field("to"));
}

function relationFacet(rows, options, change) {
  const many = RELATIONS.map((_, bit) => rows.filter((row) => index.relations[row] & (1 << bit)).length);
  const chosen = options.getAll("relation");
  const shown = RELATIONS.map((name, bit) => [name, many[bit]]).filter(([name, rows]) => rows || chosen.includes(name));
  if (!shown.length) return null;
  return facet("With a match that is", shown.map(([name, rows]) => choice("relation", name, rows, options, change)));
}

/** Sources in an order that does not change while one chooses; the less common ones in a menu. */
function sourceFacet(about, rows, options, change) {
  const tally = tallySources(rows);
  const all = tallySources(passing(about.kind, {}));
  const picked = options.getAll("source").map((name) => head.sources.indexOf(name));
  const most = [...all.keys()].sort((one, next) => all.get(next) - all.get(one) || one - next);
  const shown = most.filter((place, rank) => rank < SOURCES_SHOWN || picked.includes(place));
  const rest = most.filter((place) => !shown.includes(place) && tally.has(place));
  if (!shown.length) return null;
  const more = (event) => change("source", ...options.getAll("source"), event.target.value);
  const option = (place) => make("option", { value: head.sources[place] },
    `${head.sources[place]} (${number(tally.get(place))})`);
  return facet("Carried by",
    shown.map((place) => choice("source", head.sources[place], tally.get(place) || 0, options, change)),
    rest.length ? make("select", { id: "more-sources", "aria-label": "Another source", onchange: more },
      make("option", { value: "" }, `${number(rest.length)} more…`), rest.map(option)) : null);
}

/** In how many rows each source is. */
function tallySources(rows) {
  const tally = new Map();
  for (const row of rows) for (const place of index.sources[row]) tally.set(place, (tally.get(place) || 0) + 1);
  return tally;
}

// A list of any length

const ROWS_AROUND = 6;

/** A function that shows rows, of which it makes those in sight; `start` is for once it stands there, `focus` goes to one. */
function virtual(element, item) {
  let rows = [];
  let height = 0;
  const made = new Map();

  function fill() {
    const top = -element.getBoundingClientRect().top;
    const first = Math.max(0, Math.floor(top / height) - ROWS_AROUND);
    const last = Math.min(rows.length, Math.ceil((top + innerHeight) / height) + ROWS_AROUND);
    for (const [place, one] of made) {
      if ((place >= first && place < last) || one.contains(document.activeElement)) continue;
      one.remove();
      made.delete(place);
    }
    for (let place = first; place < last; place += 1) {
      if (made.has(place)) continue;
      const one = make("li", { "--place": place, "aria-setsize": rows.length, "aria-posinset": place + 1 }, item(rows[place]));
      const next = Math.min(...[...made.keys()].filter((other) => other > place));
      element.insertBefore(one, made.get(next) || null);
      made.set(place, one);
    }
  }

  function measure() {
    height = parseFloat(getComputedStyle(element).getPropertyValue("--row"));
    fill();
  }

  function show(chosen) {
    rows = chosen;
    made.clear();
    element.replaceChildren();
    element.style.setProperty("--rows", rows.length);
    if (height) fill();
  }

  show.start = () => {
    measure();
    const stop = new AbortController();
    const here = (act) => () => (element.isConnected ? act() : stop.abort());
    addEventListener("scroll", here(fill), { passive: true, signal: stop.signal });
    addEventListener("resize", here(measure), { signal: stop.signal });
  };

  show.focus = (place) => {
    const top = element.getBoundingClientRect().top + scrollY + place * height;
    const above = element.parentElement.querySelector("header").getBoundingClientRect().bottom;
    if (top < scrollY + above) scrollTo(0, top - above);
    else if (top + height > scrollY + innerHeight) scrollTo(0, top + height - innerHeight);
    fill();
    made.get(place)?.querySelector("a").focus({ preventScroll: true });
  };
  return show;
}

