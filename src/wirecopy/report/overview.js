// The first page, and what the report says about itself.

/** A view: its title and element; what its keys do, what is done once it stands there, where back leads, its section. */
const view = (title, element, more = {}) => ({ title, element, keys: {}, ready: null, back: null, section: "overview", ...more });

const section = (title, ...children) => make("section", {}, make("h2", {}, title), ...children);

const FIGURES = ["articles", "stories", "versions", "collections", "series", "sources", "matches"];

function overview() {
  const { counts, about } = head;
  const page = (...parts) => view("Overview", make("article", { class: "page" }, make("h1", {}, said(head.title)), ...parts));
  const lead = (...words) => make("p", { class: "lead" }, ...words);
  if (!counts.stories && !counts.collections && !counts.series && !counts.matches) {
    return page(lead(`No copies were found among ${count(counts.articles, "article")}.`), skipped(), boilerplate());
  }
  const top = about.top && counts.stories > about.top ? ` The ${count(about.top, "largest story")} are listed.` : "";
  return page(
    lead(leading(counts), top),
    make("dl", { class: "figures" }, FIGURES.filter((name) => counts[name]).map((name) =>
      make("div", {}, make("dt", {}, name[0].toUpperCase() + name.slice(1)), make("dd", {}, number(counts[name]))))),
    skipped(),
    make("div", { class: "halves" }, relations(), largest()),
    overTime(),
    whoFromWhom(),
    boilerplate());
}

function leading(counts) {
  const from = counts.sources ? ` from ${count(counts.sources, "source")}` : "";
  const stories = counts.stories === 1 ? "one story is" : `${counts.stories ? number(counts.stories) : "no"} stories are`;
  const found = listed()[0] === "matches" ? `${count(counts.matches, "match", "matches")} were found`
    : `${stories} told in the same words more than once`;
  return `Among ${count(counts.articles, "article")}${from}, ${found}.`;
}

function skipped() {
  const many = head.counts.skipped;
  return many ? make("p", { class: "note" }, `${count(many, "record")} could not be used.`) : null;
}

function relations() {
  const most = Math.max(1, ...Object.values(head.relations));
  const heads = ["Relation", "Matches", "Part"].map((one) => make("th", { scope: "col" }, one));
  return section("How they match", make("table", { class: "bars" },
    make("caption", { class: "unseen" }, "Matches by relation"),
    make("thead", { class: "unseen" }, make("tr", {}, heads)),
    make("tbody", {}, RELATIONS.filter((one) => head.relations[one]).map((one) => make("tr", {},
      make("th", { scope: "row" }, one, make("small", {}, RELATION_WORDS[one])),
      make("td", { class: "number" }, number(head.relations[one])),
      make("td", { class: "bar", "aria-hidden": "true" }, make("i", { "--part": head.relations[one] / most })))))));
}

const LARGEST_SHOWN = 7;

function largest() {
  const rows = passing("story", {}).slice(0, LARGEST_SHOWN);
  if (!rows.length) return null;
  const item = (row) => make("li", {},
    make("a", { href: address("story", [index.id[row]]) }, said(index.title[row], "Without a title")),
    make("small", {}, `${count(index.articles[row], "article")} from ${count(index.sources[row].length, "source")}`));
  const all = passing("story", {}).length;
  return section("Largest stories", make("ol", { class: "plain" }, rows.map(item)),
    all > rows.length ? make("p", {}, make("a", { href: "#stories" }, `All ${count(all, "story")}`)) : null);
}

const CHART_HEIGHT = 120;

/** Bars of articles, and in front of them of copies; each bar leads to the stories that began then. */
function overTime() {
  const { unit, from, articles, copies } = head.over_time;
  if (from.length < 2) return null;
  const most = Math.max(1, ...articles);
  const step = 100 / from.length;
  const bar = (name, place, many) => draw("rect", { class: name, x: `${(place + 0.1) * step}%`, width: `${step * 0.8}%`,
    y: CHART_HEIGHT * (1 - many / most), height: (CHART_HEIGHT * many) / most });
  const last = (place) => (place + 1 < from.length ? dayBefore(from[place + 1]) : "");
  const [list] = listed();
  const storiesOf = (place) => address(list, [], { from: from[place].slice(0, 10), to: last(place) });
  const bars = from.map((start, place) => draw("a", { href: storiesOf(place) },
    draw("title", {}, `${told(start)}: ${count(articles[place], "article")}, ${count(copies[place], "copy")}`),
    draw("rect", { class: "hit", x: `${place * step}%`, y: 0, width: `${step}%`, height: CHART_HEIGHT }),
    bar("all", place, articles[place]), bar("copies", place, copies[place])));
  const every = Math.ceil(from.length / 6);
  const labelled = from.map((_, place) => place).filter((place) => place % every === 0 && place * step < 93);
  const label = (place) => draw("text", { x: `${place * step}%`, y: CHART_HEIGHT + 16 }, told(from[place], false));
  return section("Copies over time",
    make("p", { class: "legend" }, make("i", { class: "swatch all" }), `articles by ${unit}, at most ${number(most)}`,
      make("i", { class: "swatch copies" }), "of them copies"),
    draw("svg", { class: "chart", width: "100%", height: CHART_HEIGHT + 22, role: "group", "aria-label": `Copies by ${unit}` },
      bars, draw("line", { x1: 0, x2: "100%", y1: CHART_HEIGHT + 0.5, y2: CHART_HEIGHT + 0.5 }), labelled.map(label)));
}

/** The last day of what ends where this begins: the day before, or the same for an hour of it. */
function dayBefore(date) {
  const midnight = date.length === 10 || /T00:00/.test(date);
  return new Date(Date.parse(date.slice(0, 10)) - (midnight ? 86400000 : 0)).toISOString().slice(0, 10);
}

/** Who copies from whom: a row from the columns. */
function whoFromWhom() {
  const { sources, counts } = head.copied;
  if (sources.length < 2) return null;
  const most = Math.max(1, ...counts.flat());
  const names = sources.map((place) => head.sources[place]);
  const [list] = listed();
  const cell = (many, row, column) => {
    const both = [...new Set([names[row], names[column]])];
    return make("td", { "--part": Math.sqrt(many / most), class: many ? "some" : null }, many
      ? make("a", { href: address(list, [], { source: both }) }, number(many))
      : make("span", { class: "quiet" }, "·"));
  };
  const column = (name) => make("th", { scope: "col" }, make("span", {}, said(name)));
  const table = make("table", { class: "matrix" },
    make("thead", {}, make("tr", {}, make("td"), names.map(column))),
    make("tbody", {}, counts.map((cells, row) => make("tr", {}, make("th", { scope: "row" }, said(names[row])),
      cells.map((many, column) => cell(many, row, column))))));
  return section("Who carries whose text",
    make("p", { class: "note" }, "How many articles of the source in the row most probably come from the source in the column."),
    make("div", { class: "wide", tabindex: "0", role: "region", "aria-label": "Source by source" }, table));
}

function boilerplate() {
  const many = head.boilerplate_count;
  if (!many) return null;
  const item = (one) => make("li", {}, make("blockquote", { dir: "auto" }, one.example),
    make("small", {}, `in ${count(one.articles, "article")} of ${count(one.sources, "source")}`));
  const more = many - head.boilerplate.length;
  return section("Boilerplate left out", make("details", {},
    make("summary", {}, `${count(many, "formula")} ${many === 1 ? "is" : "are"} too common to be copying`),
    make("ul", { class: "plain formulas" }, head.boilerplate.map(item)),
    more > 0 ? make("p", { class: "note" }, `and ${number(more)} more`) : null));
}

// About

function aboutPage() {
  const { about, counts } = head;
  const facts = [
    ["wirecopy", about.version],
    ["Made from", about.made_from.map((one) => make("div", {}, said(one)))],
    ["Preset", about.preset],
    ["Methods", about.methods.join(", ")],
    ...Object.entries(about.options).map(([name, value]) => [name, String(value)]),
    ["Texts", about.texts ? "in this file" : "left out"],
    ...(head.view === "scores" ? [] : [
      ["Listed", about.top ? `the ${number(about.top)} largest of each kind` : "all"],
      ["Records skipped", number(counts.skipped ?? 0)],
    ]),
  ].filter(([, value]) => value.length);
  const element = make("article", { class: "page" }, make("h1", {}, "About this report"),
    make("p", { class: "lead" },
      "One file, which needs no network and sends nothing anywhere.",
      head.view === "scores" ? null : " Every match was decided word by word."),
    factList(facts),
    about.limits.length ? section("What it cannot see", make("ul", {}, about.limits.map((one) => make("li", {}, one)))) : null,
    section("Relations", factList(RELATIONS.map((one) => [one, RELATION_WORDS[one]]))),
    section("Keys", keyTable()));
  const back = { pair: "#pair", check: "#check", scores: "#scores" }[head.view] || "#overview";
  return view("About", element, { section: "about", back });
}

const factList = (facts, name = "") => make("dl", { class: `facts ${name}` },
  facts.map(([term, words]) => make("div", {}, make("dt", {}, term), make("dd", {}, words))));

const KEYS = [
  ["j k", "next, previous story; in a pair the next, previous pair of its story"],
  ["n p", "next, previous passage"],
  ["m", "the other end of the passage"],
  ["d", "mark what is different, or not; in a checked text what is new"],
  ["l", "lock the two columns, or let go"],
  ["/", "search"],
  ["?", "these keys"],
  ["Esc", "back"],
];

function keyTable() {
  const caps = (keys) => keys.split(" ").map((key) => [make("kbd", {}, key), " "]);
  return factList(KEYS.map(([keys, words]) => [caps(keys), words]), "keys");
}
