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
 * javac as a server process, because starting it takes longer than compiling a file. Each line of
 * input is the path of a file that holds options, an empty line, and paths of sources, one per line.
 * The answer is javac's output, then a line that contains only a dot.
 */
public final class Compiler {
  public static void main(String[] arguments) throws Exception {
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    PrintStream output = new PrintStream(System.out, true, StandardCharsets.UTF_8);
    BufferedReader lines = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line = lines.readLine(); line != null; line = lines.readLine()) {
      List<String> request = Files.readAllLines(Path.of(line), StandardCharsets.UTF_8);
      int gap = request.indexOf("");
      List<Path> sources = new ArrayList<>();
      for (String name : request.subList(gap + 1, request.size())) {
        sources.add(Path.of(name));
      }
      StringWriter messages = new StringWriter();
      try (StandardJavaFileManager files =
          compiler.getStandardFileManager(null, null, StandardCharsets.UTF_8)) {
        compiler
            .getTask(
                messages, files, null, request.subList(0, gap), null,
                files.getJavaFileObjectsFromPaths(sources))
            .call();
      } catch (RuntimeException failure) {
        // javac itself may fail on its input.
        messages.write("javac: error: " + failure);
      }
      output.println(messages);
      output.println(".");
    }
  }
}
