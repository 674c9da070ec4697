// One story: when its articles appeared, which version comes from which, and how much of its first article others carry.

const LANES = 12;
const MEMBERS_SHOWN = 12;
const OTHERS_SHOWN = 200;

async function storyPage(name, id) {
  const row = await rowOf(name, id);
  if (row < 0) return missing(`There is no ${name} with the article`, id);
  const entry = await entryAt(row);
  const place = position(row);
  const { story } = entry;
  const element = make("article", { class: "page story" },
    trail(place.back, sectionOf(place.name).title, place, SECTIONS[place.name].one),
    make("h1", {}, said(story.title, "Without a title")),
    make("p", { class: "lead" }, summary(entry)),
    story.versions ? storyParts(entry) : memberParts(entry),
    linksOf(entry));
  const keys = { j: goTo(place.next), k: goTo(place.previous) };
  return view(story.title || "Without a title", element, { back: place.back, section: place.name, keys });
}

function missing(words, id) {
  const element = make("article", { class: "page" }, make("h1", {}, "Not found"),
    make("p", { class: "lead" }, words, " ", said(id), "."),
    make("p", {}, make("a", { href: "#overview" }, "To the overview")));
  return view("Not found", element, { back: "#overview" });
}

// The way to its neighbours

/** Where a row is in the list that was last shown of its kind, with the addresses of the next and the one before. */
function position(row) {
  const name = SECTION_OF[index.kind[row]];
  const list = (lists[name] ||= { rows: passing(index.kind[row], {}), address: `#${name}` });
  const place = list.rows.indexOf(row);
  list.opened = row;
  const go = (to) => (to in list.rows ? address(VIEW_OF[index.kind[row]], [index.id[list.rows[to]]]) : null);
  return { name, back: list.address, place, many: list.rows.length, next: go(place + 1), previous: go(place - 1) };
}

/** The line above a view: what it belongs to, and its neighbours there. */
function trail(back, words, place, what) {
  const turn = (href, label, sign) => (href
    ? make("a", { href, class: "turn", "aria-label": label, title: label }, sign)
    : make("span", { class: "turn off", "aria-hidden": "true" }, sign));
  const turns = place.many > 1 && place.place >= 0
    ? make("span", { class: "turns" }, turn(place.previous, `Previous ${what} (k)`, "‹"),
      `${number(place.place + 1)} of ${number(place.many)}`, turn(place.next, `Next ${what} (j)`, "›"))
    : null;
  const arrow = make("span", { "aria-hidden": "true" }, "← ");
  return make("div", { class: "trail" }, back ? make("a", { href: back, class: "back" }, arrow, words) : make("span"), turns);
}

const goTo = (href) => () => {
  if (href) location.hash = href;
};

/** A list of which the first so many items are shown, and the others when asked for. */
function shortened(items, many, item) {
  const list = make("ul", { class: "plain members" }, items.slice(0, many).map(item));
  const more = (event) => {
    list.append(...items.slice(many).map(item));
    event.target.remove();
  };
  const left = items.length - many;
  return [list, left > 0 ? make("button", { type: "button", class: "more", onclick: more }, `Show ${number(left)} more`) : null];
}

// What is said of the whole

function summary({ story, left_out: leftOut }) {
  const sources = story.sources.length ? ` from ${count(story.sources.length, "source")}` : "";
  const versions = story.versions ? ` in ${count(story.versions.length, "version")}` : "";
  const { first_seen: first, last_seen: last } = story;
  const dates = !first ? ", undated" : first === last ? [", ", when(first)] : [", between ", when(first), " and ", when(last)];
  const slots = story.slots ? ` Two of them fill up to ${count(story.slots, "place")} otherwise.` : "";
  const unread = leftOut ? ` ${count(leftOut, "article")} of so many ${leftOut === 1 ? "is" : "are"} listed without text.` : "";
  return [`${count(story.articles.length, "article")}${versions}${sources}`, dates, ".", slots, unread];
}

function storyParts(entry) {
  if (entry.story.articles.length === 1) return [heldBy(entry), heat(entry)];
  return [
    make("div", { class: "basis" }, originOf(entry), cohesionOf(entry)),
    timeline(entry),
    make("div", { class: "halves story-halves" }, tree(entry), heat(entry)),
    heldBy(entry),
  ];
}

const ORIGIN_WORDS = {
  "earliest": "the earliest date",
  "same-time": "others have the same date",
  "undated": "dates do not say who was first",
};

function originOf({ story, articles }) {
  const { agency, article, basis, present } = story.origin;
  const name = article && named(articles[article], article);
  const title = make("b", {}, "Origin");
  if (!agency) return make("p", {}, title, " First seen in ", name, ` (${ORIGIN_WORDS[basis] || basis}).`);
  const own = present ? [", whose own article is among these", name ? [": ", name] : null]
    : ", whose own article is not among these articles";
  return make("p", {}, title, " Credited to ", said(agency), own, ".");
}

function cohesionOf(entry) {
  const { weakest, pair, bridges } = entry.story.cohesion;
  if (!pair || weakest === 1) return null;
  const [one, next] = pair.map((id) => named(entry.articles[id], id));
  const words = [`${percent(weakest)} in common between `, one, " and ", next];
  const between = pairBetween(entry, ...pair);
  return make("p", {}, make("b", {}, "Weakest tie"), " ", between ? pairLink(entry, between, ...words) : words, ".",
    bridges ? ` It would fall apart without ${count(bridges, "tie")} between versions.` : "");
}

// Pairs

const pairBetween = (entry, one, next) => entry.pairs.find((pair) =>
  (pair.query === one && pair.found === next) || (pair.query === next && pair.found === one));

function pairLink(entry, pair, ...words) {
  const href = address("pair", [pair.query, pair.found], { in: entry.story.id, of: VIEW_OF[entry.story.kind] });
  return make("a", { href, class: words.length > 1 ? null : "beside" }, ...words);
}

/** An article with the pair that it is shown in. */
function pairLine(entry, pair, id) {
  const article = entry.articles[id] || {};
  return make("li", {}, make("b", {}, named(article, id)), " ", when(article.published),
    make("div", {}, said(article.title)),
    pair ? make("small", {}, `${pair.relation}, ${count(pair.words, "equal word")} `) : null,
    pair ? pairLink(entry, pair, "side by side") : null);
}

/** The pairs with articles that are not members: what a collection holds. */
function heldBy(entry) {
  const own = new Set(articleIds(entry.story));
  const pairs = entry.pairs.filter((pair) => !own.has(pair.query) || !own.has(pair.found));
  if (!pairs.length) return null;
  return section("What it holds", shortened(pairs, OTHERS_SHOWN, (pair) =>
    pairLine(entry, pair, own.has(pair.query) ? pair.found : pair.query)));
}

/** The articles of a series, or what an article shares with others, one line a pair. */
function memberParts(entry) {
  const [first, ...others] = articleIds(entry.story);
  const own = entry.articles[first] || {};
  const alone = entry.story.kind === "matches";
  return [
    make("p", {}, make("b", {}, alone ? "The article" : "The first"), " ",
      named(own, first), ", ", when(own.published), ". ", said(own.title)),
    section(alone ? "Shares something with" : "The others, each beside the first",
      shortened(others, OTHERS_SHOWN, (id) => pairLine(entry, pairBetween(entry, first, id), id))),
  ];
}

function linksOf({ links }) {
  if (!links || !links.length) return null;
  const item = (link) => {
    const row = link.row ?? index.id.indexOf(link.story);
    const title = row < 0 ? said(link.story) : said(index.title[row], "Without a title");
    const name = row < 0 ? title : make("a", { href: address(VIEW_OF[index.kind[row]], [index.id[row]]) }, title);
    const words = LINK_WORDS[link.kind] || [link.kind, link.kind];
    return make("li", {}, `${words[link.outgoing ? 0 : 1]} `, name,
      make("small", {}, ` ${count(link.articles, "article")} take part, up to ${count(link.words, "equal word")}`));
  };
  return section("Linked stories", shortened(links, OTHERS_SHOWN, item));
}

// Timeline

/** A lane for each version with a dot where an article appeared. */
function timeline({ story }) {
  const dated = story.articles.map((one) => ({ ...one, at: Date.parse(one.published || "") })).filter((one) => one.at);
  const moments = dated.map((one) => one.at);
  const start = moments.reduce((one, next) => Math.min(one, next), Infinity);
  const length = moments.reduce((one, next) => Math.max(one, next), -Infinity) - start;
  if (!(length > 0)) return null;
  const lanes = story.versions.slice(0, LANES).map((one) => [`Version ${number(one.number)}`, (of) => of === one.number]);
  const rest = story.versions.slice(LANES).map((one) => one.number);
  if (rest.length) lanes.push([`${number(rest.length)} more`, (of) => rest.includes(of)]);
  const undated = story.articles.length - dated.length;
  const left = `${count(undated, "article")} without a date ${undated === 1 ? "is" : "are"} not shown.`;
  const edge = (moment) => when(new Date(moment).toISOString().slice(0, 16));
  return section("When it appeared",
    make("div", { class: "timeline" },
      lanes.map(([name, fits]) => lane(name, dated.filter((one) => fits(one.version)), start, length)),
      make("div", { class: "lane ends" }, make("span"),
        make("div", { class: "track-ends" }, edge(start), make("span", {}, lasting(length / 1000)), edge(start + length)))),
    undated ? make("p", { class: "note" }, left) : null);
}

/** Dots that would lie on each other are one, and larger. */
function lane(name, articles, start, length) {
  const dots = new Map();
  for (const one of articles) {
    const at = Math.round(((one.at - start) / length) * 200) / 2;
    dots.set(at, [...(dots.get(at) || []), one]);
  }
  const words = [...dots.values()].map(([one, ...others]) =>
    `${told(one.published)} ${one.source || ""}${others.length ? ` and ${number(others.length)} more` : ""}`);
  const label = `${name}: ${words.slice(0, 8).join("; ")}${words.length > 8 ? "; and others" : ""}`;
  return make("div", { class: "lane" }, make("span", { class: "name" }, name),
    make("div", { class: "track", role: "img", "aria-label": label }, [...dots].map(([at, some], place) =>
      make("i", { "--at": at, "--many": Math.min(3, Math.sqrt(some.length)), title: words[place] }))),
    make("span", { class: "number" }, number(articles.length)));
}

// Versions

/** Versions as a tree, each below the one that it most probably comes from. */
function tree(entry) {
  const below = new Map();
  for (const version of entry.story.versions) {
    const from = version.change ? version.change.from : 0;
    below.set(from, [...(below.get(from) || []), version]);
  }
  const branch = (from, depth) => (below.get(from) || []).map((version) => {
    const inner = branch(version.number, depth + 1);
    const box = versionBox(entry, version);
    return make("li", { class: depth > 6 ? "deep" : null }, box, inner.length ? make("ol", {}, inner) : null);
  });
  return section("Versions", make("ol", { class: "tree" }, branch(0, 0)));
}

function versionBox(entry, version) {
  const members = entry.story.articles.filter((one) => one.version === version.number);
  const size = ` ${count(version.words, "word")}, ${count(members.length, "article")}`;
  return make("div", { class: "version" },
    make("h3", {}, `Version ${number(version.number)}`, make("small", {}, size)),
    version.change ? make("p", { class: "change" }, changeWords(version.change)) : null,
    shortened(members, MEMBERS_SHOWN, (one) => memberLine(entry, one)));
}

const CHANGES = [["added", "+"], ["cut", "−"], ["reworded", "~"], ["moved", "⇅"]];

function changeWords(change) {
  const parts = CHANGES.filter(([name]) => change[name]).map(([name, sign], place) => [place ? ", " : "",
    make("span", { class: `delta ${name}` }, make("span", { "aria-hidden": "true" }, sign), `${number(change[name])} ${name}`)]);
  const revised = change.revised ? "; revised at the same address." : ".";
  const from = `version ${number(change.from)}`;
  return parts.length ? [`Against ${from}: `, parts, revised] : `As ${from}${revised}`;
}

function memberLine(entry, member) {
  const { parent } = member;
  const pair = parent && pairBetween(entry, member.id, parent.article);
  const first = pairBetween(entry, member.id, entry.story.id);
  const site = outside(member.url, "at its site");
  return make("li", {}, make("b", {}, said(member.source || member.id)), " ", when(member.published),
    member.agency ? [" · credits ", said(member.agency)] : null, site ? [" · ", site] : null,
    member.title && member.title !== entry.story.title ? make("div", {}, said(member.title)) : null,
    make("div", { class: "parent" }, parent ? parentWords(entry, parent) : "The first article.", " ",
      pair ? pairLink(entry, pair, "side by side") : null,
      first && first !== pair ? [pair ? " · " : "", pairLink(entry, first, "beside the first")] : null));
}

/** Where an article most probably comes from and what that rests on; a direction is never a percentage. */
function parentWords(entry, parent) {
  const same = parent.relation === "identical";
  const later = parent.after_seconds > 0 ? `, ${lasting(parent.after_seconds)} later` : "";
  const shares = `. ${percent(parent.covered)} of it is there, ${percent(parent.parent_covered)} of that is here.`;
  const name = named(entry.articles[parent.article], parent.article);
  return [same ? "the same words, most probably from " : "most probably from ", name,
    ` (${BASIS_WORDS[parent.basis] || parent.basis})`, later, same ? "." : shares];
}

// Heat

const HEAT_WORDS = ["in no other", "in few", "in some", "in most", "in nearly all", "in all"];

/** The anchor's text, each stretch marked by how many of the other articles carry it. */
function heat({ story, articles, heat: told }) {
  const article = told && articles[told.article];
  if (!article) return null;
  if (!article.text) return section("The first article", make("p", { class: "note" }, "This report was written without texts."));
  const others = Math.max(1, story.articles.length - 1);
  const grade = (many) => (many >= others ? 5 : Math.min(4, Math.ceil((many / others) * 4)));
  const text = make("div", { class: "text heat", dir: article.dir || "auto", lang: language(article) });
  let last = 0;
  for (let at = 0; at < told.spans.length; at += 3) {
    const [from, to, many] = told.spans.slice(at, at + 3);
    const title = `in ${number(many)} of ${count(others, "other article")}`;
    const words = article.text.slice(from, to);
    text.append(article.text.slice(last, from), many ? make("mark", { class: `heat-${grade(many)}`, title }, words) : words);
    last = to;
  }
  text.append(article.text.slice(last));
  if (story.articles.length === 1) return section("Its text", text);
  const grades = others === 1 ? [0, 5] : [0, 1, 2, 3, 4, 5];
  const legend = grades.map((one) => make("span", {}, make("mark", { class: `heat-${one}` }, HEAT_WORDS[one])));
  return section("The first article, and who carries it", make("p", { class: "legend" }, legend), text);
}
