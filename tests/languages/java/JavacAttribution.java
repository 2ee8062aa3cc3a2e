import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.util.JavacTask;
import com.sun.tools.javac.api.BasicJavacTask;
import com.sun.tools.javac.code.Types;
import com.sun.tools.javac.tree.JCTree;
import com.sun.tools.javac.util.Context;
import java.io.BufferedOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/**
 * A program that prints facts of files that javac has attributed. The list of files may hold
 * options of javac: lines that begin with a hyphen. Positions are in characters. "e" and a message,
 * tab-separated, is an error of the compiler.
 */
abstract class JavacAttribution {
    protected final PrintStream out = new PrintStream(
            new BufferedOutputStream(System.out, 1 << 16), false, StandardCharsets.UTF_8);
    protected Context context;
    protected Types types;

    final void run(String list) throws Exception {
        List<String> options = new ArrayList<>(List.of("-proc:none", "-Xlint:none", "-nowarn",
            "-XDshould-stop.ifError=FLOW", "-implicit:none", "-encoding", "UTF-8"));
        List<Path> paths = new ArrayList<>();
        for (String line : Files.readAllLines(Path.of(list))) {
            if (line.startsWith("-")) {
                options.add(line);
            } else {
                paths.add(Path.of(line));
            }
        }
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        StandardJavaFileManager manager =
            compiler.getStandardFileManager(null, null, StandardCharsets.UTF_8);
        JavacTask task = (JavacTask) compiler.getTask(null, manager, found -> {
            if (found.getKind() == javax.tools.Diagnostic.Kind.ERROR) {
                out.println("e\t" + found.toString().replaceAll("\\s+", " "));
            }
        }, options, null, manager.getJavaFileObjectsFromPaths(paths));
        List<JCTree.JCCompilationUnit> units = new ArrayList<>();
        for (CompilationUnitTree unit : task.parse()) {
            units.add((JCTree.JCCompilationUnit) unit);
        }
        task.analyze();
        context = ((BasicJavacTask) task).getContext();
        types = Types.instance(context);
        print(units);
        out.flush();
    }

    protected abstract void print(List<JCTree.JCCompilationUnit> units) throws Exception;
}
