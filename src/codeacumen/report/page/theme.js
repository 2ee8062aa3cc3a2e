// Light, dark, or the system's theme. The reader's choice is stored if the browser allows it.

const systemDark = window.matchMedia("(prefers-color-scheme: dark)");
const themeListeners = [];

function currentTheme() {
  return document.documentElement.dataset.theme || (systemDark.matches ? "dark" : "light");
}

function applyTheme(choice) {
  if (choice === "auto") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = choice;
  for (const listener of themeListeners) listener();
}

function startTheme() {
  let stored = null;
  try {
    stored = localStorage.getItem("codeacumen-theme");
  } catch {
    // The browser may deny storage to pages from files; the choice then lasts as long as the page.
  }
  const form = document.getElementById("theme");
  const radio = form.querySelector(`input[value="${stored === "light" || stored === "dark" ? stored : "auto"}"]`);
  radio.checked = true;
  applyTheme(radio.value);
  form.addEventListener("change", (event) => {
    applyTheme(event.target.value);
    try {
      localStorage.setItem("codeacumen-theme", event.target.value);
    } catch {
      // As above.
    }
  });
  systemDark.addEventListener("change", () => applyTheme(form.querySelector(":checked").value));
}
