package org.habitline.whole;

import com.sun.jdi.Bootstrap;
import com.sun.jdi.ReferenceType;
import com.sun.jdi.VirtualMachine;
import com.sun.jdi.connect.AttachingConnector;
import com.sun.jdi.event.BreakpointEvent;
import com.sun.jdi.event.ClassPrepareEvent;
import com.sun.jdi.event.Event;
import com.sun.jdi.event.EventSet;
import com.sun.jdi.event.VMDeathEvent;
import com.sun.jdi.event.VMDisconnectEvent;
import com.sun.jdi.request.EventRequest;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.awaitility.Awaitility;
import org.habitline.Patience;
import org.jspecify.annotations.Nullable;

/**
 * The packaged jar as a process of its own, as an operator starts it. A debugger connection can
 * stop it at the first line of a method, which makes "the process dies right here" exact.
 */
final class RunningJar implements AutoCloseable {

  private static final Pattern URL = Pattern.compile(" is up at http://127\\.0\\.0\\.1:(\\d+)");
  private static final Pattern SETTING =
      Pattern.compile("(HABITLINE|OPENAI|MODEL|TURN|CHAT|DATABASE|TWILIO|MICRONAUT|JAVA_TOOL)_");
  private static final Pattern DEBUGGER =
      Pattern.compile("Listening for transport dt_socket at address: (\\d+)");
  private static final Duration START = Patience.LONG;

  private final Process process;
  private final Path output;
  private final Queue<String> said = new ConcurrentLinkedQueue<>();
  private final CompletableFuture<Void> followed = new CompletableFuture<>();
  private final CompletableFuture<Integer> port = new CompletableFuture<>();
  private final CompletableFuture<Integer> debugger = new CompletableFuture<>();
  private volatile @Nullable VirtualMachine debugged;
  private volatile @Nullable EventSet stopped;

  private RunningJar(Process process, Path output) {
    this.process = process;
    this.output = output;
  }

  /** Starts the jar in a home folder and returns when it says where it listens. */
  static RunningJar start(Path home, Map<String, String> environment) {
    return start(home, environment, QuickStart.options());
  }

  /**
   * The same with JVM options of the test's own; without any it starts as an operator starts it.
   */
  static RunningJar start(Path home, Map<String, String> environment, List<String> jvmOptions) {
    return start(jar(), home, environment, jvmOptions.toArray(String[]::new));
  }

  /** The same with another jar that says where it listens in the same words. */
  static RunningJar start(
      Path jar, Path home, Map<String, String> environment, String... jvmOptions) {
    var running = launch(jar, home, environment, List.of(jvmOptions), List.of());
    try {
      running.port.get(START.toSeconds(), TimeUnit.SECONDS);
      return running;
    } catch (InterruptedException | ExecutionException | TimeoutException e) {
      running.close();
      throw new IllegalStateException(
          "The jar did not say where it listens; it said:\n" + running.output(), e);
    }
  }

  /** How a start ended that was expected to fail. */
  record Ended(int exitCode, String output) {}

  /** Starts the jar where it cannot run, and returns what it said when it ended. */
  static Ended startInVain(Path home, Map<String, String> environment, String... arguments) {
    try (var running = launch(jar(), home, environment, QuickStart.options(), List.of(arguments))) {
      running.awaitEnd(START);
      return new Ended(running.process.exitValue(), running.output());
    }
  }

  /** Starts the jar and returns at once. */
  static RunningJar launch(Path home, Map<String, String> environment, List<String> jvmOptions) {
    return launch(jar(), home, environment, jvmOptions, List.of());
  }

  /** The line as it is shipped. */
  static Path jar() {
    return Path.of(System.getProperty("habitline.jar"));
  }

  private static RunningJar launch(
      Path jar,
      Path home,
      Map<String, String> environment,
      List<String> jvmOptions,
      List<String> arguments) {
    try {
      var command = new ArrayList<String>();
      command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
      command.addAll(jvmOptions);
      command.add("-jar");
      command.add(jar.toString());
      command.addAll(arguments);
      var builder = new ProcessBuilder(command).directory(home.toFile()).redirectErrorStream(true);
      var all = new HashMap<>(environment);
      all.put("HABITLINE_HOME", home.toString());
      all.putIfAbsent("HABITLINE_PORT", "0");
      builder.environment().keySet().removeIf(name -> SETTING.matcher(name).lookingAt());
      builder.environment().putAll(all);
      Files.createDirectories(home);
      var running = new RunningJar(builder.start(), home.resolve("output.log"));
      running.follow();
      return running;
    } catch (IOException e) {
      throw new UncheckedIOException("The jar cannot be started.", e);
    }
  }

  /** The same, and nothing runs until {@link #killAt} was called. */
  static String waitingDebugger() {
    return debugger().replace("suspend=n", "suspend=y");
  }

  /** The JVM option that lets {@link #killAt} stop the process at an exact place. */
  static String debugger() {
    return "-agentlib:jdwp=transport=dt_socket,server=y,suspend=n,address=127.0.0.1:0";
  }

  private void follow() {
    Thread.ofVirtual()
        .start(() -> {
          try (var reader = process.inputReader();
              var log =
                  Files.newBufferedWriter(
                      output, StandardOpenOption.CREATE, StandardOpenOption.APPEND)) {
            String line;
            while ((line = reader.readLine()) != null) {
              said.add(line);
              log.write(line);
              log.newLine();
              log.flush();
              match(DEBUGGER, line, debugger);
              match(URL, line, port);
            }
          } catch (IOException e) {
            said.add(e.toString());
          } finally {
            port.completeExceptionally(new IllegalStateException("The process ended."));
            debugger.completeExceptionally(new IllegalStateException("The process ended."));
            followed.complete(null);
          }
        });
  }

  private static void match(Pattern pattern, String line, CompletableFuture<Integer> found) {
    var matcher = pattern.matcher(line);
    if (matcher.find()) {
      found.complete(Integer.parseInt(matcher.group(1)));
    }
  }

  int port() {
    return port.join();
  }

  /** Waits until the process has written a line in which this is found, and returns the match. */
  MatchResult awaitLine(String regex) {
    var pattern = Pattern.compile(regex);
    return Awaitility.await("a line with " + regex)
        .atMost(START)
        .pollInterval(Duration.ofMillis(20))
        .until(
            () -> said.stream().map(pattern::matcher).filter(Matcher::find).findFirst(),
            Optional::isPresent)
        .orElseThrow();
  }

  /** What this process wrote so far, on both of its streams. */
  String output() {
    return String.join("\n", said);
  }

  /**
   * Kills the process with signal 9 when a thread is about to run the named method, the nth time.
   */
  CompletableFuture<Void> killAt(String className, String method, int nth) {
    return at(className, method, nth, this::kill);
  }

  /**
   * Stops the whole process with SIGSTOP when a thread is about to run the named method, the nth
   * time: it holds what it holds, and says nothing more until {@link #thaw}.
   */
  CompletableFuture<Void> freezeAt(String className, String method, int nth) {
    return at(className, method, nth, () -> signal("STOP"));
  }

  /** A process that was frozen goes on where it stood. */
  void thaw() {
    signal("CONT");
    Objects.requireNonNull(stopped, "not frozen").resume();
  }

  /** Returns the CPU time that the process has used, with its garbage collector and compiler. */
  Duration cpu() {
    return process.info().totalCpuDuration().orElseThrow();
  }

  private void signal(String name) {
    try {
      var sent = new ProcessBuilder("kill", "-" + name, String.valueOf(process.pid())).start();
      if (sent.waitFor() != 0) {
        throw new IllegalStateException("The process cannot be sent " + name + ".");
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  /** A class or method that was renamed fails here at once, not when a wait is over. */
  private static void checkThatItExists(String className, String method) {
    try {
      var type = Class.forName(className, false, RunningJar.class.getClassLoader());
      if (Arrays.stream(type.getDeclaredMethods()).noneMatch(it -> it.getName().equals(method))) {
        throw new IllegalArgumentException(className + " has no method " + method);
      }
    } catch (ClassNotFoundException e) {
      throw new IllegalArgumentException("There is no class " + className, e);
    }
  }

  private CompletableFuture<Void> at(String className, String method, int nth, Runnable act) {
    checkThatItExists(className, method);
    var done = new CompletableFuture<Void>();
    var vm = debugged == null ? attach() : debugged;
    debugged = vm;
    var prepare = vm.eventRequestManager().createClassPrepareRequest();
    prepare.addClassFilter(className);
    prepare.setSuspendPolicy(EventRequest.SUSPEND_EVENT_THREAD);
    prepare.enable();
    for (var type : vm.classesByName(className)) {
      breakAt(vm, type, method, nth);
    }
    Thread.ofPlatform().daemon().start(() -> listen(vm, method, nth, act, done));
    return done;
  }

  private void listen(
      VirtualMachine vm, String method, int nth, Runnable act, CompletableFuture<Void> done) {
    try {
      while (true) {
        var events = vm.eventQueue().remove();
        for (Event event : events) {
          switch (event) {
            case BreakpointEvent hit -> {
              stopped = events;
              act.run();
              done.complete(null);
              return;
            }
            case ClassPrepareEvent prepared -> breakAt(vm, prepared.referenceType(), method, nth);
            case VMDeathEvent death -> {
              done.completeExceptionally(new IllegalStateException("The process ended too early."));
              return;
            }
            case VMDisconnectEvent gone -> {
              done.completeExceptionally(new IllegalStateException("The debugger was cut off."));
              return;
            }
            default -> {}
          }
        }
        events.resume();
      }
    } catch (InterruptedException | RuntimeException e) {
      done.completeExceptionally(e);
    }
  }

  private static void breakAt(VirtualMachine vm, ReferenceType type, String method, int nth) {
    var found = type.methodsByName(method);
    if (found.isEmpty()) {
      throw new IllegalArgumentException("There is no method " + method + " in " + type.name());
    }
    found.stream()
        .filter(one -> one.location() != null)
        .forEach(one -> {
          var request = vm.eventRequestManager().createBreakpointRequest(one.location());
          request.addCountFilter(nth);
          request.setSuspendPolicy(EventRequest.SUSPEND_EVENT_THREAD);
          request.enable();
        });
  }

  private VirtualMachine attach() {
    try {
      AttachingConnector socket =
          Bootstrap.virtualMachineManager().attachingConnectors().stream()
              .filter(connector -> connector.transport().name().equals("dt_socket"))
              .findFirst()
              .orElseThrow();
      var arguments = socket.defaultArguments();
      arguments.get("hostname").setValue("127.0.0.1");
      arguments
          .get("port")
          .setValue(String.valueOf(debugger.get(START.toSeconds(), TimeUnit.SECONDS)));
      return socket.attach(arguments);
    } catch (Exception e) {
      throw new IllegalStateException("The debugger cannot be attached.", e);
    }
  }

  /** Signal 9: no hook runs, nothing is flushed. */
  void kill() {
    process.destroyForcibly();
    awaitEnd(Patience.LONG);
  }

  /** Signal 15, as an operator stops it. */
  void stop() {
    process.destroy();
    awaitEnd(Patience.LONG);
  }

  private void awaitEnd(Duration patience) {
    try {
      if (!process.waitFor(patience.toMillis(), TimeUnit.MILLISECONDS)) {
        throw new IllegalStateException("The process does not end.");
      }
      followed.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  @Nullable Integer exitCode() {
    return process.isAlive() ? null : process.exitValue();
  }

  @Override
  public void close() {
    if (process.isAlive()) {
      kill();
    }
  }
}
