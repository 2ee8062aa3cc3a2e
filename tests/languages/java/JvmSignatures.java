import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.stream.Collectors;

/** Prints the erased signatures that the virtual machine knows: class, method(simple types). */
public class JvmSignatures {
    public static void main(String[] arguments) throws Exception {
        for (String name : Files.readAllLines(Path.of(arguments[0]))) {
            Class<?> type;
            try {
                type = Class.forName(name, false, JvmSignatures.class.getClassLoader());
            } catch (ClassNotFoundException absent) {
                continue;
            }
            System.out.println("= " + name);
            for (Method method : type.getDeclaredMethods()) {
                if (!method.isSynthetic()) {
                    System.out.println(method.getName() + "("
                        + Arrays.stream(method.getParameterTypes()).map(Class::getSimpleName)
                            .collect(Collectors.joining(",")) + ")");
                }
            }
        }
    }
}
