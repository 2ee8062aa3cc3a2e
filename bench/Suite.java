import java.io.BufferedReader;
import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.io.StringWriter;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import org.junit.platform.engine.discovery.ClassNameFilter;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.launcher.Launcher;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;
import org.junit.platform.launcher.listeners.TestExecutionSummary;

/**
 * Compiles changed files of a library and runs its JUnit tests on them, again and again in one
 * JVM. Arguments: the folder of compiled classes, of compiled tests, of resources (separated by
 * colons), a pattern of test classes to leave out.
 *
 * <p>Each line of input is the name of a file that lists changed source files, one a line. The
 * answer is one line: {@code ok N}, {@code compile MESSAGE} or {@code test NAMES}.
 */
public final class Suite {
  private final List<Path> base = new ArrayList<>();
  private final Path tests;
  private final String leftOut;
  private final PrintStream told = System.out;

  private Suite(String[] arguments) {
    base.add(Path.of(arguments[0]));
    tests = Path.of(arguments[1]);
    base.add(tests);
    for (String one : arguments[2].split(File.pathSeparator)) {
      base.add(Path.of(one));
    }
    leftOut = arguments[3];
  }

  public static void main(String[] arguments) throws Exception {
    Suite suite = new Suite(arguments);
    // What tests print is nobody's business here.
    System.setOut(new PrintStream(new ByteArrayOutputStream()));
    System.setErr(new PrintStream(new ByteArrayOutputStream()));
    BufferedReader lines = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line = lines.readLine(); line != null; line = lines.readLine()) {
      suite.told.println(suite.answer(Path.of(line)).replace('\n', ' ').replace('\r', ' '));
      suite.told.flush();
    }
    System.exit(0);
  }

  private String answer(Path listed) throws Exception {
    List<Path> changed = new ArrayList<>();
    for (String name : Files.readAllLines(listed)) {
      changed.add(Path.of(name));
    }
    Path over = Files.createTempDirectory("over");
    try {
      if (!changed.isEmpty()) {
        String wrong = compile(changed, over);
        if (!wrong.isEmpty()) {
          return "compile " + wrong;
        }
      }
      return run(over);
    } finally {
      delete(over.toFile());
    }
  }

  private String compile(List<Path> files, Path over) throws Exception {
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    StringWriter said = new StringWriter();
    try (StandardJavaFileManager manager =
        compiler.getStandardFileManager(null, null, StandardCharsets.UTF_8)) {
      String path = base.get(0) + File.pathSeparator + System.getProperty("java.class.path");
      List<String> options =
          List.of("-nowarn", "-proc:none", "-implicit:none", "-d", over.toString(), "-cp", path);
      boolean fine =
          compiler
              .getTask(said, manager, null, options, null, manager.getJavaFileObjectsFromPaths(files))
              .call();
      return fine ? "" : said.toString().trim();
    }
  }

  private String run(Path over) throws Exception {
    List<URL> places = new ArrayList<>();
    places.add(over.toUri().toURL());
    for (Path one : base) {
      places.add(one.toUri().toURL());
    }
    ClassLoader before = Thread.currentThread().getContextClassLoader();
    try (URLClassLoader loader =
        new URLClassLoader(places.toArray(new URL[0]), Suite.class.getClassLoader())) {
      Thread.currentThread().setContextClassLoader(loader);
      LauncherDiscoveryRequest request =
          LauncherDiscoveryRequestBuilder.request()
              .selectors(DiscoverySelectors.selectClasspathRoots(Set.of(tests)))
              .filters(ClassNameFilter.excludeClassNamePatterns(leftOut))
              .build();
      SummaryGeneratingListener summary = new SummaryGeneratingListener();
      Launcher launcher = LauncherFactory.create();
      launcher.execute(request, summary);
      Set<String> failed = new TreeSet<>();
      for (TestExecutionSummary.Failure one : summary.getSummary().getFailures()) {
        failed.add(one.getTestIdentifier().getUniqueId().replace(' ', '_'));
      }
      if (failed.isEmpty()) {
        return "ok " + summary.getSummary().getTestsSucceededCount();
      }
      return "test " + String.join(" ", failed);
    } finally {
      Thread.currentThread().setContextClassLoader(before);
    }
  }

  private static void delete(File file) {
    File[] inside = file.listFiles();
    if (inside != null) {
      for (File one : inside) {
        delete(one);
      }
    }
    file.delete();
  }
}
