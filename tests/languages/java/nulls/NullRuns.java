import java.io.PrintStream;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.StringJoiner;

/**
 * Runs every {@code inputN} of the classes listed in a file and prints how each ended, one line an
 * input: the class, the number, the exception ({@code -}: none), its message (Base64), and the
 * frames of its stack, innermost first, as {@code class#method#file#line}.
 */
public final class NullRuns {
  public static void main(String[] arguments) throws Exception {
    PrintStream told = System.out;
    for (String name : Files.readAllLines(Path.of(arguments[0]))) {
      for (Method input : Class.forName(name).getDeclaredMethods()) {
        if (input.getName().startsWith("input")) {
          input.setAccessible(true);
          told.println(name + " " + input.getName().substring(5) + " " + ending(input));
        }
      }
    }
    told.flush();
  }

  private static String ending(Method input) throws IllegalAccessException {
    try {
      input.invoke(null);
      return "- - -";
    } catch (InvocationTargetException left) {
      Throwable thrown = left.getCause();
      String message = String.valueOf(thrown.getMessage());
      StringJoiner frames = new StringJoiner(";");
      for (StackTraceElement frame : thrown.getStackTrace()) {
        frames.add(
            String.join(
                "#",
                frame.getClassName(),
                frame.getMethodName(),
                String.valueOf(frame.getFileName()),
                String.valueOf(frame.getLineNumber())));
      }
      return thrown.getClass().getName()
          + " "
          + Base64.getEncoder().encodeToString(message.getBytes(StandardCharsets.UTF_8))
          + " "
          + frames;
    }
  }
}
