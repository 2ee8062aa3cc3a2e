import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/**
 * javac that stays: starting it costs more than compiling a file. Each line of input names a file
 * with options, an empty line, and paths of sources, one a line. What javac says comes back, then a
 * line with nothing but a dot.
 */
public final class Compiler {
  public static void main(String[] arguments) throws Exception {
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    PrintStream told = new PrintStream(System.out, true, StandardCharsets.UTF_8);
    BufferedReader lines = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line = lines.readLine(); line != null; line = lines.readLine()) {
      List<String> asked = Files.readAllLines(Path.of(line), StandardCharsets.UTF_8);
      int gap = asked.indexOf("");
      List<Path> sources = new ArrayList<>();
      for (String name : asked.subList(gap + 1, asked.size())) {
        sources.add(Path.of(name));
      }
      StringWriter said = new StringWriter();
      try (StandardJavaFileManager files =
          compiler.getStandardFileManager(null, null, StandardCharsets.UTF_8)) {
        compiler
            .getTask(
                said, files, null, asked.subList(0, gap), null,
                files.getJavaFileObjectsFromPaths(sources))
            .call();
      } catch (RuntimeException broken) {
        // javac itself may fail on what it is given.
        said.write("javac: error: " + broken);
      }
      told.println(said);
      told.println(".");
    }
  }
}
