// Start the parts of the page. Instances and pairs are built when their fold is first opened.

function onFirstOpen(details, build) {
  const open = () => {
    if (!details.open || details.dataset.built) return;
    details.dataset.built = "true";
    build(details.querySelector(".mount"));
  };
  details.addEventListener("toggle", open);
  open();
}

// Read JSON once, when first needed. Several tasks may share questions.
function once(read) {
  let value;
  return () => (value ??= read());
}

const questions = once(() => readJson("questions"));

function startTask(section) {
  const data = once(() => {
    const own = readJson(`data-${section.dataset.slug}`);
    return typeof own.questions === "number" ? { ...own, questions: questions()[own.questions] } : own;
  });
  onFirstOpen(section.querySelector("[data-instances]"), (mount) => instanceTable(data(), mount));
  onFirstOpen(section.querySelector("[data-pairs]"), (mount) => sideBySide(data(), mount));
  const evaluationSets = section.querySelector("[data-switch]");
  if (!evaluationSets) return;
  const show = () => {
    const chosen = evaluationSets.querySelector(":checked").value;
    for (const board of section.querySelectorAll(".board")) board.hidden = board.dataset.board !== chosen;
    // A plot that was hidden while the window changed its size must measure itself again.
    window.dispatchEvent(new Event("resize"));
  };
  evaluationSets.addEventListener("change", show);
  show();
}

function startContents() {
  if (window.matchMedia("(max-width: 60rem)").matches) document.querySelector(".contents details").open = false;
  const links = new Map([...document.querySelectorAll(".contents a")].map((link) => [link.hash.slice(1), link]));
  const visible = new IntersectionObserver((entries) => {
    for (const { isIntersecting, target } of entries) {
      if (!isIntersecting) continue;
      for (const link of links.values()) link.removeAttribute("aria-current");
      links.get(target.id)?.setAttribute("aria-current", "true");
    }
  }, { rootMargin: "-20% 0px -70% 0px" });
  for (const section of document.querySelectorAll("main > section")) visible.observe(section);
}

startTheme();
startPlots();
document.querySelectorAll("section.task").forEach(startTask);
startContents();
