// Scores, which stand in the page as it was written, and the pairs that they tell of.

const written = document.querySelector("#main > article");
let opened = null;

/** The scores as they were written; who comes back from a pair is where its link stands. */
function scoresPage() {
  const links = [...written.querySelectorAll("a[href^='#pair/']")];
  const ready = () => links.find((link) => link.getAttribute("href") === opened)?.focus();
  return view("Scores", written, { section: "scores", ready, keys: { j: goTo(links[0]?.getAttribute("href")) } });
}

/** The pair that the address asks for, which is noted. */
function scoredPair(parts, options) {
  opened = address("pair", parts);
  return pairPage(parts, options);
}
