import java.io.BufferedReader;
import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.io.StringWriter;
import java.lang.reflect.InvocationTargetException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/**
 * Compiles changed files over a compiled project and runs its self-check, again and again in one
 * JVM. Arguments: the folder of the project's classes, the class with {@code main}.
 *
 * <p>Each line of input names a file that lists changed sources. The answer is one line: what was
 * wrong, or what the self-check printed, in Base64.
 */
public final class Checks {
  public static void main(String[] arguments) throws Exception {
    PrintStream told = System.out;
    Path base = Path.of(arguments[0]);
    BufferedReader lines = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line = lines.readLine(); line != null; line = lines.readLine()) {
      List<Path> changed = new ArrayList<>();
      for (String name : Files.readAllLines(Path.of(line))) {
        changed.add(Path.of(name));
      }
      Path over = Files.createTempDirectory(Path.of(line).getParent(), "over");
      String answer = changed.isEmpty() ? "" : compile(changed, base, over);
      if (answer.isEmpty()) {
        answer = run(arguments[1], base, over);
      }
      told.println(Base64.getEncoder().encodeToString(answer.getBytes(StandardCharsets.UTF_8)));
      told.flush();
    }
  }

  private static String compile(List<Path> files, Path base, Path over) throws Exception {
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    StringWriter said = new StringWriter();
    try (StandardJavaFileManager manager =
        compiler.getStandardFileManager(null, null, StandardCharsets.UTF_8)) {
      List<String> options =
          List.of("-nowarn", "-proc:none", "-d", over.toString(), "-cp", base.toString());
      compiler
          .getTask(said, manager, null, options, null, manager.getJavaFileObjectsFromPaths(files))
          .call();
    }
    String text = said.toString();
    return text.contains("error:") ? "does not compile: " + text : "";
  }

  private static String run(String name, Path base, Path over) throws Exception {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    PrintStream out = System.out;
    System.setOut(new PrintStream(bytes, true, StandardCharsets.UTF_8));
    URL[] places = {over.toUri().toURL(), base.toUri().toURL()};
    String end = "ends";
    try (URLClassLoader loader = new URLClassLoader(places, null)) {
      loader.loadClass(name).getMethod("main", String[].class).invoke(null, (Object) new String[0]);
    } catch (InvocationTargetException thrown) {
      end = "throws " + thrown.getCause();
    } finally {
      System.setOut(out);
    }
    return end + "\n" + bytes.toString(StandardCharsets.UTF_8);
  }
}
