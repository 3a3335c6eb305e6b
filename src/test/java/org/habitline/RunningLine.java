package org.habitline;

import static org.awaitility.Awaitility.await;

import io.micronaut.context.ApplicationContext;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import javax.sql.DataSource;
import org.habitline.audit.Events;
import org.habitline.conversation.stored.IterationContext;
import org.habitline.conversation.stored.TurnReader;
import org.habitline.llm.openai.Scripted;
import org.habitline.llm.openai.StrictFakeServer;
import org.habitline.messaging.MessagingLifecycle;
import org.habitline.messaging.inbox.Acceptance;
import org.habitline.messaging.inbox.Dispatcher;
import org.habitline.messaging.inbox.Inbox;
import org.habitline.messaging.inbox.IncomingText;
import org.habitline.participants.ChannelKind;
import org.habitline.participants.Enrolment;
import org.habitline.participants.Participant;
import org.habitline.participants.Participants;
import org.habitline.participants.PhoneNumber;
import org.jspecify.annotations.Nullable;

/**
 * A line with real parts: the whole program in this process, H2 in a fresh folder, the simulated
 * phones, and openai-java asking a strict fake over HTTP. Texts go in through the inbox; what came
 * of them is read from the database.
 */
public final class RunningLine implements AutoCloseable {

  /** A study that lets a model's words out as they come. */
  public static final String NO_GATES =
      "gates: {contacts: off, medical: off, instructions: off, claims: off, language: off}\n";

  /** The first message of the habit flow if the model says that all is right. */
  public static final String GREETING = "This is an automated coach, not a person.\n\nAll right.";

  private static final AtomicLong NUMBERS = new AtomicLong(2_000_000);

  private final StrictFakeServer fake;
  private final Path home;
  private final Map<String, Object> database;
  private final TestClocks clocks;
  private final ApplicationContext context;

  private RunningLine(
      StrictFakeServer fake,
      Path home,
      Map<String, Object> database,
      TestClocks clocks,
      ApplicationContext context) {
    this.fake = fake;
    this.home = home;
    this.database = database;
    this.clocks = clocks;
    this.context = context;
  }

  /** How a line shall be set up. */
  public static final class Setup {
    private final Path home;
    private final Map<String, Object> database;
    private final Map<String, Object> properties = new HashMap<>();
    private final List<Object> beans = new ArrayList<>();
    private boolean rehearsed;

    private StrictFakeServer fake = StrictFakeServer.start();
    private TestClocks clocks =
        new TestClocks(
            SettableClock.standingAt(Instant.parse("2026-11-21T07:15:00Z")),
            SettableClock.running());

    private Setup(Path home, Map<String, Object> database) {
      this.home = home;
      this.database = database;
      properties.putAll(database);
      with("turn.quiet-period", "0s");
      with("turns.per-minute", "0");
    }

    public Setup with(String property, String value) {
      properties.put(property, value);
      return this;
    }

    /** A bean of the test itself, such as a channel. */
    public Setup bean(Object bean) {
      beans.add(bean);
      return this;
    }

    /** Gives the line a habit flow of its own: the shipped one, edited. */
    public Setup flow(UnaryOperator<String> edit) {
      write(
          home.resolve("config/flows/habit/flow.yaml"),
          edit.apply(read(Path.of("config/flows/habit/flow.yaml"))));
      return this;
    }

    /** Gives the line a flow in a folder of its own, with one prompt file {@code talk.txt}. */
    public Setup flow(String id, String yaml) {
      var folder = home.resolve("config/flows").resolve(id);
      write(folder.resolve("flow.yaml"), yaml);
      write(folder.resolve("prompts/talk.txt"), "Talk.");
      return with("habitline.flow", id);
    }

    /** Lets the rehearsal's script answer instead of the fake. */
    public Setup rehearsed() {
      rehearsed = true;
      return this;
    }

    /** Gives the line a study of its own. */
    public Setup study(String yaml) {
      write(home.resolve("config/study.yaml"), yaml);
      return this;
    }

    /** Gives the line a table of prices. */
    public Setup prices(String yaml) {
      write(home.resolve("config/prices.yaml"), yaml);
      return this;
    }

    /** Gives the line a prompt file of its own. */
    public Setup prompt(String file, String text) {
      write(home.resolve("prompts").resolve(file), text);
      return this;
    }

    /** The same home, model and clocks as another line has. */
    private Setup beside(RunningLine other) {
      fake.close();
      fake = other.fake;
      clocks = other.clocks;
      return this;
    }

    /** Builds the program; nothing is answered or sent before {@link RunningLine#start}. */
    public RunningLine build() {
      return new RunningLine(fake, home, database, clocks, unstarted().start());
    }

    /** The program before its start, for a command that starts it itself. */
    public ApplicationContext unstarted() {
      properties.put("habitline.home", home.toString());
      // Where it looks for exports that were left behind: not where other lines write theirs.
      properties.put("java.io.tmpdir", home.toString());
      if (!rehearsed) {
        properties.put("openai.base-url", fake.baseUrl());
      }
      var all = new ArrayList<>(beans);
      all.add(clocks);
      return TestBean.program(properties, all).build();
    }

    public RunningLine start() {
      var line = build();
      line.start();
      return line;
    }
  }

  /** A line in a fresh folder. */
  public static Setup in(Class<?> test) {
    var home = freshHome(test);
    return new Setup(home, TestDatabase.fresh(home));
  }

  /** A line in a fresh folder that keeps its data in the H2 file there, whatever is tested. */
  public static Setup onFile(Class<?> test) {
    var home = freshHome(test);
    return new Setup(home, TestDatabase.file(home));
  }

  /** A line in a fresh folder on a database that is there already. */
  public static Setup on(Class<?> test, Map<String, Object> database) {
    return new Setup(freshHome(test), database);
  }

  private static Path freshHome(Class<?> test) {
    try {
      var folder = Files.createDirectories(Path.of("target", "lines"));
      return Files.createTempDirectory(folder, test.getSimpleName() + "-").toAbsolutePath();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Another process in the same home, with the same model and clocks, on this database. */
  public Setup movedTo(Map<String, Object> other) {
    return new Setup(home, other).beside(this);
  }

  /** A second process on the same database, home and model: another node, or the next start. */
  public Setup second() {
    return new Setup(home, database).beside(this);
  }

  public void start() {
    bean(MessagingLifecycle.class).start();
  }

  public <T> T bean(Class<T> type) {
    return context.getBean(type);
  }

  public StrictFakeServer fake() {
    return fake;
  }

  public SettableClock study() {
    return clocks.study();
  }

  public SettableClock system() {
    return clocks.system();
  }

  public Path home() {
    return home;
  }

  public static String read(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  public static void write(Path file, String text) {
    try {
      Files.createDirectories(file.toAbsolutePath().getParent());
      Files.writeString(file, text);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Enrols someone on a simulated phone; their greeting is not waited for. */
  public Participant enrol() {
    return enrol(ChannelKind.SIMULATOR);
  }

  public Participant enrol(ChannelKind channel) {
    return enrol(channel, "Robin");
  }

  public Participant enrol(ChannelKind channel, String name) {
    return enrol(channel, name, strangersNumber());
  }

  /** A number that nobody has. */
  public PhoneNumber strangersNumber() {
    return new PhoneNumber("+1206" + NUMBERS.incrementAndGet());
  }

  public Participant enrol(ChannelKind channel, String name, PhoneNumber phone) {
    return enrol(channel, name, phone, "habit");
  }

  /** Enrols someone on a simulated phone into another flow. */
  public Participant enrolInto(String flow) {
    return enrol(ChannelKind.SIMULATOR, "Robin", strangersNumber(), flow);
  }

  private Participant enrol(ChannelKind channel, String name, PhoneNumber phone, String flow) {
    return bean(Participants.class)
        .enrol(Enrolment.of(phone, ZoneId.of("Europe/Berlin"), flow, channel).withName(name));
  }

  /**
   * Enrols someone and waits for the greeting, and until the line is done with them; then the fake
   * forgets what it was asked.
   */
  public Participant greeted() {
    var participant = enrol();
    awaitTurn(participant, 1);
    awaitRest(participant);
    fake.forget();
    return participant;
  }

  /**
   * Waits until no turn of somebody runs or looks for the next text. A turn that ends does that at
   * once and reads the state before the texts, so a test that changes the state itself waits first.
   */
  public void awaitRest(Participant participant) {
    await()
        .pollInterval(Duration.ofMillis(5))
        .until(() ->
            !bean(Dispatcher.class).isBusy(participant.id())
                && rows(
                        "SELECT owner FROM lease WHERE participant_id = ? AND owner IS NOT NULL",
                        participant.id())
                    .isEmpty());
  }

  /**
   * Enrols and greets somebody who is watched. The watch begins before the greeting ends, because
   * the line then looks for the next text at once, and reads who is watched before the texts.
   */
  public Participant watched(Supplier<Participant> enrolment) {
    var watched = new CountDownLatch(1);
    fake.then(Scripted.say("Hello.").heldBy(watched));
    var participant = enrolment.get();
    bean(Events.class).watch(participant.id());
    watched.countDown();
    awaitTurn(participant, 1);
    fake.forget();
    return participant;
  }

  public Acceptance text(Participant from, String body) {
    return text(from, body, "SM" + NUMBERS.incrementAndGet());
  }

  public Acceptance text(Participant from, String body, String providerId) {
    return bean(Inbox.class)
        .accept(new IncomingText(providerId, from.phone(), from.channel(), body));
  }

  /** A text by another road than the participant's own. */
  public Acceptance text(Participant from, ChannelKind channel, String body) {
    return bean(Inbox.class)
        .accept(new IncomingText("SM" + NUMBERS.incrementAndGet(), from.phone(), channel, body));
  }

  /** Waits until a turn is closed and everything it says has left. */
  public Map<String, Object> awaitTurn(Participant participant, int number) {
    await()
        .pollInterval(Duration.ofMillis(5))
        .until(() -> closed(participant, number) && nothingOpen(participant));
    return turn(participant, number).orElseThrow();
  }

  /** Sends a text and waits until the next turn is closed. */
  public Map<String, Object> answered(Participant participant, String body) {
    var next = turns(participant) + 1;
    text(participant, body);
    return awaitTurn(participant, next);
  }

  private boolean closed(Participant participant, int number) {
    return turn(participant, number)
        .filter(turn -> !"running".equals(turn.get("status")))
        .isPresent();
  }

  private boolean nothingOpen(Participant participant) {
    return rows("SELECT id FROM outbox WHERE open = TRUE AND participant_id = ?", participant.id())
        .isEmpty();
  }

  /** Waits until it is written down that a provider takes a text later. */
  public void awaitPutOff(Participant participant) {
    await()
        .until(() ->
            !rows(
                    "SELECT id FROM outbox WHERE participant_id = ? AND not_before IS NOT NULL",
                    participant.id())
                .isEmpty());
  }

  public int turns(Participant participant) {
    return rows("SELECT number FROM turn WHERE participant_id = ?", participant.id()).size();
  }

  public Optional<Map<String, Object>> turn(Participant participant, int number) {
    return rows(
            "SELECT * FROM turn WHERE participant_id = ? AND number = ?", participant.id(), number)
        .stream()
        .findFirst();
  }

  /** What stands on the participant's phone, oldest first. */
  public List<String> phone(Participant participant) {
    return column(
        "SELECT body FROM simulated_phone_text WHERE participant_id = ? ORDER BY seq",
        participant.id());
  }

  /** The whole transcript as {@code role: content}, oldest first. */
  public List<String> transcript(Participant participant) {
    return column(
        "SELECT concat(role, ': ', content) FROM message WHERE participant_id = ? ORDER BY seq",
        participant.id());
  }

  /** State data by key. */
  public Map<String, String> data(Participant participant) {
    var data = new LinkedHashMap<String, String>();
    rows("SELECT * FROM state_data WHERE participant_id = ?", participant.id())
        .forEach(row -> data.put((String) row.get("data_key"), (String) row.get("data_value")));
    return data;
  }

  public IterationContext iterations(Participant participant, int turn) {
    return bean(TurnReader.class).iterations(participant.id(), turn);
  }

  public List<String> column(String sql, Object... arguments) {
    return rows(sql, arguments).stream()
        .map(row -> String.valueOf(row.values().iterator().next()))
        .toList();
  }

  /** Reads with plain JDBC, past everything that is tested. */
  public List<Map<String, Object>> rows(String sql, Object... arguments) {
    try (var connection = connection();
        var statement = connection.prepareStatement(sql)) {
      for (int i = 0; i < arguments.length; i++) {
        statement.setObject(i + 1, arguments[i]);
      }
      var found = new ArrayList<Map<String, Object>>();
      try (var rows = statement.executeQuery()) {
        var columns = rows.getMetaData();
        while (rows.next()) {
          var row = new LinkedHashMap<String, Object>();
          for (int i = 1; i <= columns.getColumnCount(); i++) {
            row.put(columns.getColumnLabel(i).toLowerCase(Locale.ROOT), rows.getObject(i));
          }
          found.add(row);
        }
      }
      return found;
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Writes with plain JDBC, past everything that is tested. */
  public int write(String sql, @Nullable Object... arguments) {
    try (var connection = connection();
        var statement = connection.prepareStatement(sql)) {
      for (int i = 0; i < arguments.length; i++) {
        statement.setObject(i + 1, arguments[i]);
      }
      return statement.executeUpdate();
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  private Connection connection() throws SQLException {
    return io.micronaut.data.connection.jdbc.advice.DelegatingDataSource.unwrapDataSource(
            bean(DataSource.class))
        .getConnection();
  }

  /** Ends this process in order; the model and the folder stay. */
  public void stop() {
    context.close();
  }

  @Override
  public void close() {
    stop();
    fake.close();
  }
}
