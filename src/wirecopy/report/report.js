// The page itself: from the address to a view, and the keys.

const main = document.getElementById("main");
/** Where views stand: the whole page, but where one brings an element for them, and its own frame. */
const stage = document.getElementById("view") || main;
const help = document.getElementById("help");
let current = view("", null);
let starting = null;
let turns = 0;

/** What a reader who does not see the page is told of a change. */
function announce(words) {
  document.getElementById("status").textContent = words;
}

/** What the address asks for: the name of a view, what it is of, and options. */
function wanted() {
  const [path, query = ""] = location.hash.slice(1).split(/\?(.*)/s);
  const [name, ...parts] = path.split("/").map((part) => {
    try {
      return decodeURIComponent(part);
    } catch {
      return part;
    }
  });
  return { name, parts, options: new URLSearchParams(query) };
}

async function viewOf({ name, parts, options }) {
  if (name === "about") return aboutPage();
  if (head.view === "scores") return name === "pair" && parts.length > 1 ? scoredPair(parts, options) : scoresPage();
  if (head.view === "pair" || (name === "pair" && parts.length > 1)) return pairPage(parts, options);
  if (head.view === "check") return checkPage(parts[0], options);
  if (parts.length && Object.values(VIEW_OF).includes(name)) return storyPage(name, parts[0]);
  return Object.hasOwn(SECTIONS, name) ? list(name, options) : overview();
}

/** The view that the address asks for comes onto the page; a slow one that is no longer asked for is dropped. */
async function show() {
  const mine = (turns += 1);
  const asked = wanted();
  let made;
  main.setAttribute("aria-busy", "true");
  try {
    await (starting ||= start());
    made = await viewOf(asked);
  } catch (problem) {
    made = view("Not shown", make("article", { class: "page" }, make("h1", {}, "This could not be shown"),
      make("p", { class: "lead" }, `${problem.message || problem}.`)), { back: "#overview" });
  }
  if (mine !== turns) return;
  const first = !current.element;
  current = made;
  stage.replaceChildren(made.element);
  main.removeAttribute("aria-busy");
  document.title = `${made.title} – ${head.title}`;
  markSection(made.section);
  scrollTo(0, 0);
  if (!first) main.focus({ preventScroll: true });
  made.ready?.();
}

/** The index is read, and what stands above every view made. */
async function start() {
  const packed = document.getElementById("index");
  index = (packed.textContent.trim() && (await unpack(packed))) || { id: [], kind: [], title: [] };
  if (stage === main) nameSections();
  document.getElementById("skip").addEventListener("click", (event) => {
    event.preventDefault();
    main.focus();
  });
  const keys = document.getElementById("keys");
  keys.hidden = false;
  keys.addEventListener("click", () => help.showModal());
  const close = make("form", { method: "dialog" }, make("button", {}, "Close"));
  help.append(make("h2", { id: "help-title" }, "Keys"), keyTable(), close);
}

/** The title of the report, and links to its sections. */
function nameSections() {
  const link = (name, words, many) => make("a", { href: `#${name}`, "data-section": name }, words,
    many === undefined ? null : make("span", { class: "number" }, number(many)));
  const lists = listed().map((name) => [name, sectionOf(name).title, passing(SECTIONS[name].kind, {}).length]);
  const alone = { pair: [["pair", "Pair"]], check: [["check", "Checked"]], scores: [["scores", "Scores"]] };
  const shown = alone[head.view] || [["overview", "Overview"], ...lists];
  document.getElementById("sections").append(...[...shown, ["about", "About"]].map((one) => link(...one)));
  document.getElementById("top").hidden = false;
  document.getElementById("name").append(make("b", {}, "wirecopy"), " ", said(head.title));
}

/** The section that one is in is marked in the navigation. */
function markSection(name) {
  for (const link of document.querySelectorAll("#sections [data-section]")) {
    if (link.dataset.section === name) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
}

function press(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || help.open) return;
  const writing = event.target.matches?.("input:not([type=checkbox]), select, textarea");
  if (event.key === "Escape" && writing) event.target.blur();
  else if (event.key === "Escape") goTo(current.back)();
  else if (writing) return;
  else if (event.key === "?") help.showModal();
  else if (Object.hasOwn(current.keys, event.key)) current.keys[event.key]();
  else if (event.key === "/" && head.view === "report") searchStories();
  else return;
  event.preventDefault();
}

async function searchStories() {
  const there = new Promise((resolve) => addEventListener("hashchange", resolve, { once: true }));
  const [name] = listed();
  location.hash = lists[name]?.address || `#${name}`;
  await there;
  await show();
  current.keys["/"]?.();
}

history.scrollRestoration = "manual";
addEventListener("hashchange", show);
document.addEventListener("keydown", press);
show();
