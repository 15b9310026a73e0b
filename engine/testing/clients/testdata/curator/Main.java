import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

/**
 * Puts Apache Curator to work on a server: Main SERVER ROOT. Prints for each check "ok NAME" or "not ok NAME"; what
 * went wrong follows it on lines that begin with a space. Each check works below a path of its own, ROOT/NAME.
 */
public class Main {
    interface Check {
        void run(Bench bench) throws Exception;
    }

    public static void main(String[] args) throws InterruptedException {
        Map<String, Check> checks = new LinkedHashMap<>();
        Data.add(checks);
        Locks.add(checks);
        Shared.add(checks);
        Caches.add(checks);
        Sessions.add(checks);
        ExecutorService threads = Executors.newFixedThreadPool(4); // they wait more than they work
        checks.forEach((name, check) -> threads.execute(() -> {
            try (Bench bench = new Bench(args[0], args[1] + "/" + name)) {
                check.run(bench);
                System.out.println("ok " + name);
            } catch (Exception | AssertionError e) {
                System.out.println("not ok " + name + trace(e));
            }
        }));
        threads.shutdown();
        threads.awaitTermination(1, TimeUnit.HOURS); // whoever started this ends it sooner
        System.exit(0); // whatever threads a failed check has left
    }

    private static String trace(Throwable e) {
        StringBuilder text = new StringBuilder();
        for (Throwable t = e; t != null; t = t.getCause()) {
            text.append("\n ").append(t);
            for (StackTraceElement line : t.getStackTrace()) {
                text.append("\n   at ").append(line);
            }
        }
        return text.toString();
    }
}
