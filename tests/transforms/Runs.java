import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.lang.reflect.InvocationTargetException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Runs classes one after the other, each in a thread of its own, and prints what each wrote and how
 * it ended, one line a class: its name, the ending, what it wrote (Base64).
 *
 * <p>Each class has {@code public static void run(java.io.PrintStream out) throws Throwable}.
 */
public final class Runs {
  private static final long LIMIT = 10_000;

  public static void main(String[] names) throws Exception {
    PrintStream told = System.out;
    for (String name : names) {
      ByteArrayOutputStream bytes = new ByteArrayOutputStream();
      PrintStream out = new PrintStream(bytes, true, StandardCharsets.UTF_8);
      AtomicReference<String> ending = new AtomicReference<>("hangs");
      Thread thread = new Thread(() -> ending.set(end(name, out)));
      thread.setDaemon(true);
      thread.start();
      thread.join(LIMIT);
      String written = Base64.getEncoder().encodeToString(bytes.toByteArray());
      String how = Base64.getEncoder().encodeToString(ending.get().getBytes(StandardCharsets.UTF_8));
      told.println(name + " " + how + " " + written);
    }
    told.flush();
    Runtime.getRuntime().halt(0);
  }

  private static String end(String name, PrintStream out) {
    try {
      Class.forName(name).getMethod("run", PrintStream.class).invoke(null, out);
      return "returns";
    } catch (InvocationTargetException thrown) {
      return String.valueOf(thrown.getCause());
    } catch (Throwable other) {
      return "cannot run: " + other;
    }
  }
}
