// One story: when its articles appeared, which version comes from which, and how much of its first article the others carry.

const LANES = 12;
const MEMBERS_SHOWN = 12;

/** Where one is in the list that the story belongs to, with the ways to the next and the one before. */
function position(row) {
  const name = SECTION_OF[index.kind[row]];
  const known = lists[name] || { rows: passing(index.kind[row], {}), address: `#${name}` };
  const place = known.rows.indexOf(row);
  const go = (other) => (other in known.rows ? address(VIEW_OF[index.kind[row]], [index.id[known.rows[other]]]) : null);
  return { name, back: known.address, place, many: known.rows.length, next: place < 0 ? go(0) : go(place + 1), previous: place < 1 ? null : go(place - 1) };
}

const turn = (href, label, sign) => (href
  ? make("a", { href, class: "turn", "aria-label": label, title: label }, sign)
  : make("span", { class: "turn off", "aria-hidden": "true" }, sign));

/** The line above a view: where it belongs, and its neighbours. */
function trail(back, words, place, what) {
  return make("div", { class: "trail" }, make("a", { href: back, class: "back" }, make("span", { "aria-hidden": "true" }, "← "), words),
    place && place.many > 1 && place.place >= 0
      ? make("span", { class: "turns" }, turn(place.previous, `Previous ${what} (k)`, "‹"), `${number(place.place + 1)} of ${number(place.many)}`, turn(place.next, `Next ${what} (j)`, "›"))
      : null);
}

const goTo = (href) => () => {
  if (href) location.hash = href;
};

async function storyPage(name, id) {
  const row = await rowOf(name, id);
  if (row < 0) return missing(`There is no ${name} with the article`, id);
  const entry = await entryAt(row);
  const place = position(row);
  const { story } = entry;
  const told = story.versions ? storyParts(entry) : memberParts(entry);
  return view(story.title || "Without a title", make("article", { class: "page story" },
    trail(place.back, SECTIONS[place.name].title, place, SECTIONS[place.name].one),
    make("h1", {}, said(story.title, "Without a title")),
    make("p", { class: "lead" }, summary(entry)), told, linksOf(entry)),
  { back: place.back, keys: { j: goTo(place.next), k: goTo(place.previous) } });
}

const missing = (words, id) => view("Not found", make("article", { class: "page" }, make("h1", {}, "Not found"),
  make("p", { class: "lead" }, words, " ", said(id), "."), make("p", {}, make("a", { href: "#overview" }, "To the overview"))), { back: "#overview" });

function summary({ story, left_out: leftOut }) {
  const sources = story.sources.length ? ` from ${count(story.sources.length, "source")}` : "";
  const versions = story.versions ? ` in ${count(story.versions.length, "version")}` : "";
  const dates = !story.first_seen ? [", undated"] : story.first_seen === story.last_seen ? [", ", when(story.first_seen)]
    : [", between ", when(story.first_seen), " and ", when(story.last_seen)];
  const slots = story.slots ? ` Two of them fill up to ${count(story.slots, "place")} otherwise.` : "";
  return [`${count(story.articles.length, "article")}${versions}${sources}`, ...dates, ".", slots,
    leftOut ? ` ${count(leftOut, "article")} of this large story ${leftOut === 1 ? "is" : "are"} listed without text.` : ""];
}

function storyParts(entry) {
  return [make("div", { class: "basis" }, originOf(entry), cohesionOf(entry)), timeline(entry),
    make("div", { class: "halves story-halves" }, tree(entry), heat(entry)), beyond(entry)];
}

/** The pairs of a row with articles that are not its members: what a collection collects. */
function beyond(entry) {
  const own = new Set(articleIds(entry.story));
  const pairs = entry.pairs.filter((pair) => !own.has(pair.query) || !own.has(pair.found));
  return pairs.length ? section("What it holds", make("ul", { class: "plain members" }, pairs.map((pair) => pairLine(entry, pair, own.has(pair.query) ? pair.found : pair.query)))) : null;
}

function pairLine(entry, pair, id) {
  const article = entry.articles[id] || {};
  return make("li", {}, make("b", {}, named(article, id)), " ", when(article.published), make("div", {}, said(article.title)),
    make("small", {}, `${pair.relation}, ${count(pair.words, "equal word")} `), pairLink(entry, pair, "side by side"));
}

function pairLink(entry, pair, ...children) {
  return make("a", { class: children.length > 1 ? null : "beside", href: address("pair", [pair.query, pair.found], { in: entry.story.id, of: VIEW_OF[entry.story.kind || "series"] }) }, ...children);
}

const pairBetween = (entry, one, other) => entry.pairs.find((pair) => (pair.query === one && pair.found === other) || (pair.query === other && pair.found === one));

function originOf({ story, articles }) {
  const { agency, article, basis, present } = story.origin;
  const words = { "earliest": "the earliest date", "same-time": "others have the same date", "undated": "dates do not say who was first" };
  if (!agency) return make("p", {}, make("b", {}, "Origin"), " First seen in ", named(articles[article], article), ` (${words[basis] || basis}).`);
  const own = present ? [article ? [", whose own article is among these: ", named(articles[article], article)] : ", whose own article is among these"]
    : ", whose own article is not among these articles";
  return make("p", {}, make("b", {}, "Origin"), " Credited to ", said(agency), own, ".");
}

function cohesionOf(entry) {
  const { weakest, pair, bridges } = entry.story.cohesion;
  if (!pair) return null;
  const between = pairBetween(entry, ...pair);
  const words = [percent(weakest), " in common between ", named(entry.articles[pair[0]], pair[0]), " and ", named(entry.articles[pair[1]], pair[1])];
  return make("p", {}, make("b", {}, "Weakest tie"), " ", between ? pairLink(entry, between, ...words) : words, ".",
    bridges ? ` It would fall apart without ${count(bridges, "tie")} between versions.` : "");
}

// Timeline

/** A lane for each version with a dot where an article appeared; dots that would lie on each other are one, and larger. */
function timeline({ story }) {
  const dated = story.articles.filter((one) => one.published && !Number.isNaN(Date.parse(one.published)));
  const moments = dated.map((one) => Date.parse(one.published));
  const start = Math.min(...moments);
  const length = Math.max(...moments) - start;
  if (dated.length < 2 || !length) return null;
  const lanes = story.versions.slice(0, LANES).map((version) => [`Version ${number(version.number)}`, (one) => one.version === version.number]);
  if (story.versions.length > LANES) lanes.push([`${number(story.versions.length - LANES)} more`, (one) => one.version > story.versions[LANES - 1].number]);
  const undated = story.articles.length - dated.length;
  return section("When it appeared", make("div", { class: "timeline" }, lanes.map(([name, fits]) => {
    const dots = new Map();
    dated.forEach((one, place) => {
      const at = Math.round(((moments[place] - start) / length) * 200) / 2;
      if (fits(one)) dots.set(at, [...(dots.get(at) || []), one]);
    });
    const words = [...dots.values()].map(([one, ...others]) => `${told(one.published)} ${one.source || ""}${others.length ? ` and ${number(others.length)} more` : ""}`);
    const many = [...dots.values()].flat().length;
    return make("div", { class: "lane" }, make("span", { class: "name" }, name),
      make("div", { class: "track", role: "img", "aria-label": `${name}: ${words.slice(0, 8).join("; ")}${words.length > 8 ? "; and later" : ""}` },
        [...dots].map(([at, some], place) => make("i", { "--at": at, "--many": Math.min(3, Math.sqrt(some.length)), title: words[place] }))),
      make("span", { class: "number" }, number(many)));
  }), make("div", { class: "lane ends" }, make("span", { class: "name" }), make("div", { class: "track-ends" }, when(new Date(start).toISOString().slice(0, 16)), make("span", {}, `${lasting(length / 1000)}`), when(new Date(start + length).toISOString().slice(0, 16))), make("span"))),
  undated ? make("p", { class: "note" }, `${count(undated, "article")} without a date ${undated === 1 ? "is" : "are"} not shown.`) : null);
}

// Versions

/** Versions as a tree, each below the one that it most probably comes from. */
function tree(entry) {
  const { story } = entry;
  const below = new Map();
  for (const version of story.versions) {
    const from = version.change ? version.change.from : 0;
    below.set(from, [...(below.get(from) || []), version]);
  }
  const branch = (from, depth) => (below.get(from) || []).map((version) => {
    const inner = branch(version.number, depth + 1);
    return make("li", { class: depth > 6 ? "deep" : null }, versionBox(entry, version), inner.length ? make("ol", {}, inner) : null);
  });
  return section("Versions", make("ol", { class: "tree" }, branch(0, 0)));
}

function versionBox(entry, version) {
  const members = entry.story.articles.filter((one) => one.version === version.number);
  const { change } = version;
  const shown = make("ul", { class: "plain members" }, members.slice(0, MEMBERS_SHOWN).map((one) => memberLine(entry, one)));
  const more = members.length > MEMBERS_SHOWN ? make("button", { type: "button", onclick: (event) => {
    shown.append(...members.slice(MEMBERS_SHOWN).map((one) => memberLine(entry, one)));
    event.target.remove();
  } }, `Show ${number(members.length - MEMBERS_SHOWN)} more`) : null;
  return make("div", { class: "version" },
    make("h3", {}, `Version ${number(version.number)}`, make("small", {}, ` ${count(version.words, "word")}, ${count(members.length, "article")}`)),
    change ? make("p", { class: "change" }, changeWords(change)) : null, shown, more);
}

function changeWords(change) {
  const parts = [["added", "+", change.added], ["cut", "−", change.cut], ["reworded", "~", change.reworded], ["moved", "⇅", change.moved]].filter(([, , words]) => words);
  return [parts.length ? `Against version ${number(change.from)}: ` : `Differs from version ${number(change.from)} in no word that counts`,
    parts.map(([name, sign, words], place) => [place ? ", " : "", make("span", { class: `delta ${name}` }, make("span", { "aria-hidden": "true" }, sign), `${number(words)} ${name}`)]),
    change.revised ? "; revised at the same address" : "", "."];
}

function memberLine(entry, member) {
  const { parent } = member;
  const pair = parent && pairBetween(entry, member.id, parent.article);
  const first = pairBetween(entry, member.id, entry.story.id);
  const alone = member.title && member.title !== entry.story.title ? make("div", {}, said(member.title)) : null;
  return make("li", {}, make("b", {}, said(member.source || member.id)), " ", when(member.published), member.agency ? [" · credits ", said(member.agency)] : null,
    outside(member.url, " · at its site") && [" · ", outside(member.url, "at its site")], alone,
    make("div", { class: "parent" }, parent ? parentWords(entry, member) : "The first article.", " ",
      pair ? pairLink(entry, pair, "side by side") : null,
      first && first !== pair ? [" · ", pairLink(entry, first, "with the first")] : null));
}

function parentWords(entry, { parent }) {
  const name = named(entry.articles[parent.article], parent.article);
  const later = parent.after_seconds > 0 ? `, ${lasting(parent.after_seconds)} later` : "";
  const same = parent.relation === "identical" ? "the same words, most probably from " : "most probably from ";
  const shares = parent.relation === "identical" ? "." : `. ${percent(parent.covered)} of it is there, ${percent(parent.parent_covered)} of that is here.`;
  return [same, name, ` (${BASIS_WORDS[parent.basis] || parent.basis})`, later, shares];
}

// Heat

const HEAT_WORDS = ["in no other", "in few", "in some", "in most", "in nearly all", "in all"];

/** The anchor's text, each stretch marked by how many of the other articles carry it. */
function heat({ story, articles, heat: told }) {
  const article = told && articles[told.article];
  if (!article || !article.text) return article ? section("The first article", make("p", { class: "note" }, "This report was written without texts.")) : null;
  const others = Math.max(1, story.articles.length - 1);
  const grade = (many) => (many >= others ? 5 : Math.min(4, Math.ceil((many / others) * 4)));
  const text = make("div", { class: "text heat", dir: article.dir || "auto", lang: language(article) });
  let last = 0;
  for (let at = 0; at < told.spans.length; at += 3) {
    const [from, to, many] = told.spans.slice(at, at + 3);
    if (from > last) text.append(article.text.slice(last, from));
    const stretch = article.text.slice(from, to);
    text.append(many ? make("mark", { class: `heat-${grade(many)}`, title: `in ${number(many)} of ${count(others, "other article")}` }, stretch) : stretch);
    last = to;
  }
  text.append(article.text.slice(last));
  const used = others === 1 ? [0, 5] : [0, 1, 2, 3, 4, 5];
  return section("The first article, and who carries it",
    make("p", { class: "legend" }, used.map((step) => make("span", {}, make("mark", { class: `heat-${step}` }, HEAT_WORDS[step]), " "))), text);
}

// Series, matches, links

/** The articles of a series, or what an article shares with others, one line a pair. */
function memberParts(entry) {
  const { story } = entry;
  const [first, ...others] = articleIds(story);
  const own = entry.articles[first] || {};
  const line = (id) => {
    const pair = pairBetween(entry, first, id);
    const article = entry.articles[id] || {};
    if (pair) return pairLine(entry, pair, id);
    return make("li", {}, make("b", {}, named(article, id)), " ", when(article.published), make("div", {}, said(article.title)));
  };
  const shown = make("ul", { class: "plain members" }, others.slice(0, 200).map(line));
  const more = others.length > 200 ? make("button", { type: "button", onclick: (event) => {
    shown.append(...others.slice(200).map(line));
    event.target.remove();
  } }, `Show ${number(others.length - 200)} more`) : null;
  return [make("p", {}, make("b", {}, story.kind === "matches" ? "The article" : "The first"), " ", named(own, first), ", ", when(own.published), ". ", said(own.title)),
    section(story.kind === "matches" ? "Shares something with" : "The others, each beside the first", shown, more)];
}

function linksOf({ links }) {
  if (!links || !links.length) return null;
  return section("Linked stories", make("ul", { class: "plain members" }, links.map((link) => {
    const row = link.row ?? index.id.indexOf(link.story);
    const name = row < 0 ? said(link.story) : make("a", { href: address(VIEW_OF[index.kind[row]], [index.id[row]]) }, said(index.title[row], "Without a title"));
    return make("li", {}, `${(LINK_WORDS[link.kind] || [link.kind, link.kind])[link.outgoing ? 0 : 1]} `, name,
      make("small", {}, ` ${count(link.articles, "article")} take part, up to ${count(link.words, "equal word")}`));
  })));
}
