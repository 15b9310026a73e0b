import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Puts Apache Curator to work on a server: Main SERVER ROOT. Prints for each check "ok NAME" or "not ok NAME"; what
 * went wrong follows it on lines that begin with a space. Each check works below a path of its own, ROOT/NAME.
 */
public class Main {
    interface Check {
        void run(Bench bench) throws Exception;
    }

    public static void main(String[] args) {
        Map<String, Check> checks = new LinkedHashMap<>();
        Data.add(checks);
        Locks.add(checks);
        Shared.add(checks);
        Caches.add(checks);
        Sessions.add(checks);
        checks.forEach((name, check) -> {
            try (Bench bench = new Bench(args[0], args[1] + "/" + name)) {
                check.run(bench);
                System.out.println("ok " + name);
            } catch (Exception | AssertionError e) {
                System.out.println("not ok " + name);
                for (Throwable t = e; t != null; t = t.getCause()) {
                    System.out.println(" " + t);
                    for (StackTraceElement line : t.getStackTrace()) {
                        System.out.println("   at " + line);
                    }
                }
            }
        });
        System.exit(0); // whatever threads a failed check has left
    }
}
