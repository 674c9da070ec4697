// Two articles side by side, and a text beside all that was found for it.

const SIDES = ["query", "found"];
const other = (side) => (side === "query" ? "found" : "query");
const TOGGLES = [["same", "Same"], ["different", "Different"], ["spelling", "Spelling"], ["boilerplate", "Boilerplate"]];

/** What is linked between both sides: each passage, and each moved sentence too short for one; in the order of the query. */
function linksBetween(pieces) {
  const links = new Map();
  pieces.forEach((piece, place) => {
    const key = piece.passage || (piece.minor ? `minor-${place}` : null);
    piece.link = key;
    if (key === null) return;
    const link = links.get(key) || { key, moved: false, minor: true, query: [Infinity, 0], found: [Infinity, 0] };
    for (const side of SIDES) {
      const [from, to] = piece[side];
      if (to > from) link[side] = [Math.min(link[side][0], from), Math.max(link[side][1], to)];
    }
    links.set(key, { ...link, moved: link.moved || piece.moved, minor: link.minor && piece.minor });
  });
  return [...links.values()].filter((link) => link.query[1] && link.found[1]).sort((one, next) => one.query[0] - next.query[0])
    .map((link, place) => ({ ...link, number: place + 1 }));
}

/** The story that a pair is told in: the one its address names, or else the first that has it. */
async function placeOf([query, found], options) {
  if (head.view === "pair") return 0;
  if (head.view === "check") return Number(options.get("in")) || 0;
  const has = (entry) => entry.pairs.some((pair) => pair.query === query && pair.found === found);
  const row = options.has("in") ? await rowOf(options.get("of") || "story", options.get("in")) : -1;
  return row >= 0 && has(await entryAt(row)) ? row : seek(null, has);
}

async function pairPage(parts, options) {
  const row = await placeOf(parts, options);
  if (row < 0) return missing("There is no pair of", parts.join(", "));
  const { pairs, articles, story, asked } = await pairsOf(row);
  const place = Math.max(0, parts.length > 1 ? pairs.findIndex((pair) => pair.query === parts[0] && pair.found === parts[1]) : 0);
  const pair = pairs[place];
  if (!pair) return missing("There is no pair of", parts.join(", "));
  const both = { query: asked || articles[pair.query], found: articles[pair.found] };
  const back = head.view === "pair" ? null : head.view === "check" ? address("check", [row]) : address(VIEW_OF[index.kind[row]], [story.id]);
  const hrefs = pairs.map((one) => address("pair", [one.query, one.found], head.view === "check" ? { in: row } : story ? { in: story.id, of: VIEW_OF[index.kind[row]] } : {}));
  const around = { place, many: pairs.length, next: hrefs[place + 1], previous: hrefs[place - 1] };
  const stage = sideBySide(pair, both, options);
  const element = make("article", { class: "pair" },
    make("header", {}, back ? trail(back, story ? said(story.title, "Story") : "Checked text", around, "pair") : around.many > 1 ? trail("#pair", "Pairs", around, "pair") : null,
      make("h1", {}, named(both.query, pair.query), make("span", { class: "beside" }, " beside "), named(both.found, pair.found)),
      make("p", { class: "lead" }, verdict(pair, stage.links)), stage.tools),
    stage.element);
  return view(`${both.query.source || pair.query} beside ${both.found.source || pair.found}`, element,
    { back, ready: stage.ready, keys: { ...stage.keys, j: goTo(around.next), k: goTo(around.previous) } });
}

const PAIR_WORDS = { ...RELATION_WORDS, "contains": "the left holds nearly all of the right", "contained-in": "nearly all of the left is in the right" };

function verdict(pair, links) {
  const moved = links.filter((link) => link.moved && !link.minor).length;
  const passages = links.filter((link) => !link.minor).length;
  const slots = pair.slots && pair.slots.other ? ` ${count(pair.slots.other, "place")} of the form ${pair.slots.other === 1 ? "is" : "are"} filled otherwise, ${number(pair.slots.same)} alike.` : "";
  if (!pair.relation) return "Nothing is shared that would count as copied.";
  return [make("b", {}, pair.relation), `: ${PAIR_WORDS[pair.relation]}. ${percent(pair.query_covered)} of the left is in the right, ${percent(pair.found_covered)} of the right in the left; `,
    `${count(pair.words, "equal word")} in ${count(passages, "passage")}${moved ? `, ${number(moved)} of them moved` : ""}.${slots}`];
}

/** Both columns with their tools, and what the keys do to them. */
function sideBySide(pair, both, options) {
  const pieces = piecesOf(pair.pieces);
  const links = linksBetween(pieces);
  const whole = SIDES.every((side) => typeof both[side].text === "string");
  const panes = Object.fromEntries(SIDES.map((side) => [side, make("div", { class: `pane ${side}`, tabindex: "0", role: "region", "aria-label": side === "query" ? "Left text" : "Right text" },
    about(both[side], pair[side]), whole ? textOf(both[side], pieces, links, side, (link) => jump(link, other(side))) : make("p", { class: "note" }, "This text is not in the report."))]));
  const map = minimap(pieces, links, both, (link) => go(links.indexOf(link)));
  const columns = make("div", { class: "columns" }, panes.query, map.element, panes.found);
  const hidden = new Set((options.get("hide") ?? "spelling").split(",").filter(Boolean));
  let locked = options.get("lock") !== "off";
  let at = -1;
  let focused = "query";

  const toggles = TOGGLES.map(([name, words]) => make("button", { type: "button", class: `toggle ${name}`, "data-toggle": name, onclick: () => toggle(name) }, make("i", { "aria-hidden": "true" }), words));
  const lock = make("button", { type: "button", class: "lock", onclick: () => setLock(!locked) }, "Lock");
  const where = make("span", { class: "number where" });
  const tools = make("div", { class: "tools", role: "toolbar", "aria-label": "What is marked" }, whole ? [toggles, lock] : null,
    links.length ? make("span", { class: "turns" }, make("button", { type: "button", class: "turn", "aria-label": "Previous passage (p)", onclick: () => go(at - 1) }, "‹"), where,
      make("button", { type: "button", class: "turn", "aria-label": "Next passage (n)", onclick: () => go(at + 1) }, "›")) : null);

  function remember() {
    const { name, parts, options: kept } = asked();
    kept.delete("hide");
    if ([...hidden].join() !== "spelling") kept.set("hide", [...hidden].join());
    kept.delete("lock");
    if (!locked) kept.set("lock", "off");
    kept.delete("passage");
    if (at >= 0) kept.set("passage", String(at + 1));
    history.replaceState(null, "", address(name || "pair", parts) + (kept.size ? `?${kept}` : ""));
    current.address = location.hash;
  }

  function mark() {
    for (const [name] of TOGGLES) columns.classList.toggle(`show-${name}`, !hidden.has(name));
    for (const button of toggles) button.setAttribute("aria-pressed", String(!hidden.has(button.dataset.toggle)));
    lock.setAttribute("aria-pressed", String(locked));
    where.textContent = at < 0 ? count(links.length, "passage") : `passage ${at + 1} of ${links.length}`;
  }

  function toggle(name) {
    if (!hidden.delete(name)) hidden.add(name);
    mark();
    remember();
    announce(`${name} ${hidden.has(name) ? "not marked" : "marked"}`);
  }

  function setLock(on) {
    locked = on;
    mark();
    remember();
    if (locked) follow("query");
    announce(locked ? "columns locked" : "columns free");
  }

  // Both columns scroll together: what stands at one height on the left stands there on the right, passage by passage.
  const expected = {};
  const limit = (pane) => pane.scrollHeight - pane.clientHeight;
  const setTop = (side, top) => {
    panes[side].scrollTop = top;
    expected[side] = panes[side].scrollTop;
  };
  const edges = (side, link) => {
    const boxes = [...panes[side].querySelectorAll(`[data-link="${link.number}"]`)].flatMap((one) => [...one.getClientRects()]);
    const zero = panes[side].getBoundingClientRect().top - panes[side].scrollTop;
    return boxes.length ? [Math.min(...boxes.map((box) => box.top)) - zero, Math.max(...boxes.map((box) => box.bottom)) - zero] : null;
  };
  let measured = {};
  const points = (from, to) => {
    const size = [panes[from], panes[to]].map((pane) => `${pane.scrollHeight}:${pane.clientHeight}`).join();
    if (measured.size !== size) measured = { size };
    return (measured[from] ||= measure(from, to));
  };
  function measure(from, to) {
    const found = [[0, 0]];
    for (const link of links) {
      if (link.moved || link.minor) continue;
      const here = edges(from, link);
      const there = edges(to, link);
      if (here && there) found.push([here[0], there[0]], [here[1], there[1]]);
    }
    found.push([panes[from].scrollHeight, panes[to].scrollHeight]);
    return found.sort((one, next) => one[0] - next[0]);
  }
  function follow(from) {
    const to = other(from);
    if (!limit(panes[from]) || !limit(panes[to])) return;
    const line = (panes[from].scrollTop * panes[from].scrollHeight) / limit(panes[from]);
    const known = points(from, to);
    const after = Math.max(1, known.findIndex(([y]) => y >= line));
    const [[y, z], [nextY, nextZ]] = [known[after - 1], known[after]];
    const there = z + (nextZ - z) * (nextY > y ? Math.min(1, (line - y) / (nextY - y)) : 0);
    setTop(to, (there * limit(panes[to])) / panes[to].scrollHeight);
  }
  function scrolled(side) {
    map.see(panes);
    if (Math.abs(panes[side].scrollTop - (expected[side] ?? -9)) < 2) return;
    expected[side] = null;
    if (locked) follow(side);
  }
  for (const side of SIDES) panes[side].addEventListener("scroll", () => scrolled(side), { passive: true });

  function reveal(side, link) {
    const found = edges(side, link);
    if (found) setTop(side, found[0] - panes[side].clientHeight * 0.2);
  }
  function choose(place) {
    at = place;
    for (const one of columns.querySelectorAll(".current")) one.classList.remove("current");
    for (const one of columns.querySelectorAll(`[data-link="${links[at].number}"]`)) one.classList.add("current");
    mark();
    remember();
  }
  function go(place) {
    if (!links.length) return;
    choose((place + links.length) % links.length);
    for (const side of SIDES) reveal(side, links[at]);
    const { moved } = links[at];
    announce(`passage ${at + 1} of ${links.length}${moved ? ", moved" : ""}`);
  }
  function jump(link, side) {
    choose(links.indexOf(link));
    reveal(side, link);
    focused = side;
    const end = panes[side].querySelector(`[data-link="${link.number}"]`);
    (end?.querySelector("button") || panes[side]).focus({ preventScroll: true });
    announce(`${side === "query" ? "left" : "right"} end of passage ${link.number}`);
  }
  const ready = () => {
    mark();
    const wanted = Number(options.get("passage"));
    if (wanted > 0 && wanted <= links.length) go(wanted - 1);
    map.see(panes);
  };
  mark();
  const keys = { n: () => go(at + 1), p: () => go(at < 0 ? links.length - 1 : at - 1), d: () => toggle("different"), l: () => setLock(!locked),
    m: () => links.length && jump(links[Math.max(0, at)], other(panes.found.contains(document.activeElement) ? "found" : panes.query.contains(document.activeElement) ? "query" : focused)) };
  return { element: columns, tools, keys, links, ready };
}

/** What is known of an article, above its text. */
function about(article, id) {
  const facts = [article.author, article.agency && `credits ${article.agency}`, id].filter(Boolean);
  return make("header", { class: "about" }, make("h2", { dir: "auto" }, article.title || "Without a title"),
    make("p", {}, make("b", {}, said(article.source, "No source")), " · ", when(article.published), ` · ${count(article.words ?? 0, "word")}`, outside(article.url, "at its site") && [" · ", outside(article.url, "at its site")]),
    make("p", { class: "quiet" }, facts.map((one, place) => [place ? " · " : "", said(one)])));
}

const TAGS = { inserted: "ins", dropped: "del", added: "span", cut: "span", boilerplate: "span" };

/** The text of one side, cut into its pieces; each passage in a box of its own that knows its number. */
function textOf(article, pieces, links, side, onJump) {
  const text = make("div", { class: "text", dir: article.dir || "auto", lang: language(article) });
  const byKey = new Map(links.map((link) => [link.key, link]));
  const seen = new Set();
  let box = text;
  let open = null;
  const laid = pieces.filter((piece) => piece[side][1] > piece[side][0] || piece.kind === "inserted" || piece.kind === "dropped").sort((one, next) => one[side][0] - next[side][0] || one[side][1] - next[side][1]);
  for (const piece of laid) {
    const [from, to] = piece[side];
    const link = byKey.get(piece.link) || null;
    if (link !== open) {
      open = link;
      box = text;
      if (link && to > from) {
        box = make("span", { class: `passage${link.moved ? " moved" : ""}${link.minor ? " minor" : ""}`, "data-link": link.number }, seen.has(link) ? null : label(link, onJump));
        text.append(box);
        seen.add(link);
      } else open = null;
    }
    if (to > from) box.append(...wordsOf(article.text.slice(from, to), piece.kind));
    else if (open) box.append(make("i", { class: "gap", "aria-hidden": "true", title: "only on the other side" }));
  }
  return text;
}

/** A piece as elements: the white space around it is not marked. */
function wordsOf(text, kind) {
  const [, before, words, after] = /^(\s*)(.*?)(\s*)$/s.exec(text);
  return [before, words && make(TAGS[kind] || "mark", { class: kind }, words), after].filter(Boolean);
}

function label(link, onJump) {
  const words = link.moved ? `Passage ${link.number} has moved: go to its other end (m)` : `Passage ${link.number}: go to its other end (m)`;
  return make("button", { type: "button", class: "label", title: words, "aria-label": words, onclick: () => onJump(link) }, link.moved ? "⇅\u2009" : "", String(link.number));
}

/** Both texts as bars with bands between what is linked; seen by eye only, since the keys lead everywhere. */
function minimap(pieces, links, both, onGo) {
  const length = Object.fromEntries(SIDES.map((side) => [side, Math.max(1, both[side].length ?? (both[side].text || "").length, ...pieces.map((piece) => piece[side][1]))]));
  const y = (side, place) => ((place / length[side]) * 1000).toFixed(1);
  const bar = (side, [from, to], name) => draw("rect", { class: name, x: side === "query" ? 0 : 82, y: y(side, from), width: 18, height: Math.max(2, y(side, to) - y(side, from)) });
  const window_ = Object.fromEntries(SIDES.map((side) => [side, draw("rect", { class: "window", x: side === "query" ? 0 : 82, width: 18, y: 0, height: 0 })]));
  const element = draw("svg", { class: "minimap", viewBox: "0 0 100 1000", preserveAspectRatio: "none", "aria-hidden": "true" },
    SIDES.map((side) => draw("rect", { class: "ground", x: side === "query" ? 0 : 82, y: 0, width: 18, height: 1000 })),
    links.map((link) => draw("path", { class: `band${link.moved ? " moved" : ""}`, onclick: () => onGo(link),
      d: `M18 ${y("query", link.query[0])}C50 ${y("query", link.query[0])} 50 ${y("found", link.found[0])} 82 ${y("found", link.found[0])}L82 ${y("found", link.found[1])}C50 ${y("found", link.found[1])} 50 ${y("query", link.query[1])} 18 ${y("query", link.query[1])}Z` },
    draw("title", {}, `Passage ${link.number}${link.moved ? ", moved" : ""}`))),
    SIDES.map((side) => pieces.filter((piece) => piece[side][1] > piece[side][0] && !["added", "cut"].includes(piece.kind)).map((piece) => bar(side, piece[side], piece.kind))),
    SIDES.map((side) => window_[side]));
  const see = (panes) => {
    for (const side of SIDES) {
      const text = panes[side].querySelector(".text")?.getBoundingClientRect();
      if (!text) continue;
      const pane = panes[side].getBoundingClientRect();
      const [from, to] = [pane.top, pane.bottom].map((edge) => Math.min(1, Math.max(0, (edge - text.top) / text.height)) * 1000);
      window_[side].setAttribute("y", from);
      window_[side].setAttribute("height", to - from);
    }
  };
  return { element, see };
}

// A checked text

const HUES = 8;

async function checkPage(wanted) {
  const many = head.answers ?? 1;
  if (!wanted && many > 1) return answerList(many);
  const place = Math.min(many - 1, Math.max(0, Number(wanted) || 0));
  const answer = await answerAt(place);
  const around = { place, many, next: place + 1 < many ? address("check", [place + 1]) : null, previous: place ? address("check", [place - 1]) : null };
  const { query, found } = answer;
  const text = make("div", { class: "text checked", dir: query.dir || "auto", lang: language(query) });
  const stretches = stretchesOf(answer);
  text.append(...stretches.map((one) => stretchOf(one, query.text, found)));
  const marks = [...text.querySelectorAll("mark")];
  const fresh = make("button", { type: "button", "aria-pressed": "false", onclick: () => {
    const on = text.classList.toggle("only-new");
    fresh.setAttribute("aria-pressed", String(on));
    announce(on ? "what is new is marked" : "what is copied is marked");
  } }, "Mark what is new");
  let at = -1;
  const go = (to) => {
    if (!marks.length) return;
    marks[at]?.classList.remove("current");
    at = (to + marks.length) % marks.length;
    marks[at].classList.add("current");
    marks[at].scrollIntoView({ block: "center" });
    announce(`passage ${at + 1} of ${marks.length}`);
  };
  const light = (only) => marks.forEach((one) => one.classList.toggle("faint", only !== null && !one.dataset.of.includes(` ${only} `)));
  const sources = make("ol", { class: "sources" }, found.map((one, number_) => make("li", { class: `source-${number_ % HUES}`,
    onmouseenter: () => light(number_), onfocusin: () => light(number_), onmouseleave: () => light(null), onfocusout: () => light(null) },
  make("span", { class: `tag source-${number_ % HUES}` }, number(number_ + 1)),
  make("div", {}, make("b", {}, named(one.article, one.article.id)), " ", when(one.article.published), make("div", {}, said(one.article.title)),
    make("small", {}, `${one.relation}: ${percent(one.query_covered)} of this text, ${percent(one.found_covered)} of that article, ${count(one.words, "equal word")} `),
    make("a", { class: "beside", href: address("pair", [query.id, one.article.id], { in: String(place) }) }, "side by side"), outside(one.article.url, "at its site") && [" · ", outside(one.article.url, "at its site")]))));
  const unsaid = answer.articles - found.length;
  const element = make("article", { class: "page check" }, many > 1 ? trail("#check", "Checked texts", around, "text") : null,
    make("h1", {}, said(query.title || query.id)), make("p", { class: "lead" }, answerWords(answer)),
    make("div", { class: "halves check-halves" },
      make("section", {}, make("h2", {}, "The text"), found.length ? make("div", { class: "tools" }, fresh) : null, typeof query.text === "string" ? text : make("p", { class: "note" }, "This text is not in the report.")),
      section("Found in", found.length ? sources : make("p", { class: "note" }, "Nothing of this text was found."), unsaid > 0 ? make("p", { class: "note" }, `and in ${count(unsaid, "article")} more`) : null)));
  return view(query.title || query.id, element, { back: many > 1 ? "#check" : null, keys: { n: () => go(at + 1), p: () => go(at < 0 ? -1 : at - 1), d: () => fresh.click(), j: goTo(around.next), k: goTo(around.previous) } });
}

function answerWords({ copied, articles, at_least: atLeast, contained_in_count: whole, form_of_count: forms, found }) {
  if (!found.length) return "Nothing of this text was found: all of it is new.";
  return [make("b", {}, `${percent(copied)} copied`), `: found in ${atLeast ? "at least " : ""}${count(articles, "article")}${whole ? `, ${number(whole)} of which ${whole === 1 ? "holds" : "hold"} all of it` : ""}.`,
    forms ? ` ${count(forms, "article")} ${forms === 1 ? "is" : "are"} the same form, filled in otherwise: nothing is copied from ${forms === 1 ? "it" : "them"}.` : ""];
}

/** The text in stretches that the same articles carry: where it starts and ends, and the places of these articles. */
function stretchesOf({ query, found, new: fresh }) {
  const length = (query.text || "").length;
  const edges = [];
  found.forEach((one, place) => {
    if (one.relation === "form") return;
    for (const piece of piecesOf(one.pieces)) {
      if ((piece.kind === "same" || piece.kind === "spelled") && piece.query[1] > piece.query[0]) edges.push([piece.query[0], place, 1], [piece.query[1], place, -1]);
    }
  });
  for (let at = 0; at < fresh.length; at += 2) edges.push([fresh[at], -1, 1], [fresh[at + 1], -1, -1]);
  edges.sort((one, next) => one[0] - next[0]);
  const open = new Map();
  const stretches = [];
  let last = 0;
  for (const [at, place, step] of [...edges, [length, -2, 1]]) {
    if (at > last) {
      const places = [...open].filter(([one, many]) => many > 0 && one >= 0).map(([one]) => one).sort((one, next) => one - next);
      stretches.push({ from: last, to: at, places, fresh: (open.get(-1) || 0) > 0 });
      last = at;
    }
    open.set(place, (open.get(place) || 0) + step);
  }
  return stretches.filter((one, place) => one.to > one.from || place === 0);
}

function stretchOf({ from, to, places, fresh }, text, found) {
  const words = text.slice(from, to);
  if (!places.length) return make("span", { class: fresh ? "new" : "between" }, words);
  const names = places.map((place) => found[place].article.source || found[place].article.id);
  return make("mark", { class: `source-${places[0] % HUES}`, "data-of": ` ${places.join(" ")} `, title: names.slice(0, 5).join(", ") }, make("sup", {}, places.slice(0, 3).map((place) => place + 1).join(",")), words);
}

async function answerList(many) {
  const shown = Math.min(many, 500);
  const rows = [];
  for (let place = 0; place < shown; place += 1) {
    const answer = await answerAt(place);
    rows.push(make("tr", {}, make("td", {}, make("a", { href: address("check", [place]) }, said(answer.query.title || answer.query.id))),
      make("td", { class: "number" }, percent(answer.copied)), make("td", { class: "number" }, number(answer.articles))));
  }
  return view("Checked texts", make("article", { class: "page" }, make("h1", {}, "Checked texts"), make("p", { class: "lead" }, `${count(many, "text")} checked.`),
    make("table", { class: "answers" }, make("thead", {}, make("tr", {}, ["Text", "Copied", "Found in"].map((one) => make("th", { scope: "col" }, one)))), make("tbody", {}, rows)),
    many > shown ? make("p", { class: "note" }, `and ${count(many - shown, "text")} more: #check/${shown} and so on`) : null));
}
