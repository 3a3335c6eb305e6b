package org.habitline.messaging.inbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import io.micronaut.data.connection.jdbc.advice.DelegatingDataSource;
import io.micronaut.data.exceptions.DataAccessException;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.habitline.RunningLine;
import org.habitline.SqlCounts;
import org.habitline.messaging.AtOnce;
import org.habitline.participants.ChannelKind;
import org.habitline.participants.Participant;
import org.habitline.participants.Participants;
import org.habitline.participants.PhoneNumber;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Texts that come at the same time are stored together, and as if each had come alone. */
@Tag("database")
final class InboxTest {

  private static final int TEXTS_OF_A_RACE = 200;
  private static final AtomicInteger IDS = new AtomicInteger();

  private static RunningLine line;

  private Participant robin;
  private Participant wren;

  @BeforeAll
  static void build() {
    line =
        RunningLine.in(InboxTest.class)
            .bean(new SqlCounts())
            .with("datasources.default.connection-timeout", "120000")
            .build();
  }

  @AfterAll
  static void close() {
    line.close();
  }

  @BeforeEach
  void enrol() {
    robin = line.enrol();
    wren = line.enrol();
  }

  private static String newId() {
    return "SM-inbox-" + IDS.incrementAndGet();
  }

  private static IncomingText text(Participant from, String body) {
    return text(from, body, newId());
  }

  private static IncomingText text(Participant from, String body, String id) {
    return text(from.phone(), body, id);
  }

  private static IncomingText text(PhoneNumber from, String body, String id) {
    return new IncomingText(id, from, ChannelKind.SIMULATOR, body);
  }

  /** The texts come while another one is being stored, and wait as one group for their turn. */
  private static List<Acceptance> together(IncomingText... texts) throws Exception {
    var inbox = line.bean(Inbox.class);
    var callers = new AtOnce<Acceptance>();
    var busy = new Busy(line.enrol());
    for (var text : texts) {
      callers.waiting(() -> inbox.accept(text));
    }
    busy.end();
    return callers.outcomes();
  }

  /** The inbox is busy with a text of this participant, and there is no connection to be had. */
  private static final class Busy {
    private final AtOnce<Acceptance> callers = new AtOnce<>();
    private final List<Connection> taken = new ArrayList<>();

    Busy(Participant participant) throws SQLException {
      var pool =
          DelegatingDataSource.unwrapDataSource(line.bean(DataSource.class))
              .unwrap(HikariDataSource.class);
      for (int i = 0; i < pool.getMaximumPoolSize(); i++) {
        taken.add(pool.getConnection());
      }
      callers.waiting(() -> line.bean(Inbox.class).accept(text(participant, "wait")));
      await().until(() -> pool.getHikariPoolMXBean().getThreadsAwaitingConnection() > 0);
    }

    void end() throws Exception {
      for (var connection : taken) {
        connection.close();
      }
      callers.outcomes();
    }
  }

  private static List<String> said(Participant participant) {
    return line.column(
        "SELECT body FROM inbox WHERE participant_id = ? AND kind = 'said' ORDER BY seq",
        participant.id());
  }

  private static long events(Participant participant) {
    return line.rows(
            "SELECT seq FROM event WHERE participant_id = ? AND payload LIKE '%said%'",
            participant.id())
        .size();
  }

  private static boolean optedOut(Participant participant) {
    return line.bean(Participants.class).find(participant.id()).orElseThrow().optedOut();
  }

  private static Acceptance stored(Participant participant) {
    return new Acceptance.Stored(participant.id());
  }

  @Test
  void textsThatComeTogetherAreStoredInOrderWithAnEventForEach() throws Exception {
    var outcomes = together(text(robin, "one"), text(wren, "hello"), text(robin, "two"));
    assertThat(outcomes).containsExactly(stored(robin), stored(wren), stored(robin));
    assertThat(said(robin)).containsExactly("one", "two");
    assertThat(said(wren)).containsExactly("hello");
    assertThat(events(robin)).isEqualTo(2);
    assertThat(events(wren)).isEqualTo(1);
  }

  @Test
  void aGroupOfPlainTextsCostsAsManyStatementsHoweverManyTheyAre() throws Exception {
    var few = statements(text(robin, "one"), text(wren, "two"));
    var many = new ArrayList<IncomingText>();
    for (int i = 0; i < 20; i++) {
      many.add(text(i % 2 == 0 ? robin : wren, "text " + i));
    }
    assertThat(statements(many.toArray(IncomingText[]::new)))
        .isEqualTo(few)
        .as("PostgreSQL is told how long to wait for a lock")
        .isEqualTo(onFile() ? 5 : 6);
  }

  private static boolean onFile() {
    return line.home().resolve("data/habitline.mv.db").toFile().exists();
  }

  /** The text before them is a group of its own. */
  private static int statements(IncomingText... texts) throws Exception {
    var sql = line.bean(SqlCounts.class);
    sql.forget();
    together(texts);
    var said =
        sql.of(GroupCommit.THREAD)
            .subList(
                sql.of(GroupCommit.THREAD).indexOf(SqlCounts.COMMIT) + 1,
                sql.of(GroupCommit.THREAD).size());
    return said.indexOf(SqlCounts.COMMIT);
  }

  @Test
  void anIdThatComesTwiceInAGroupIsStoredOnce() throws Exception {
    var twice = text(robin, "once");
    var outcomes = together(text(robin, "before"), twice, twice, text(wren, "hello"));
    assertThat(outcomes)
        .containsExactly(stored(robin), stored(robin), new Acceptance.Repeated(), stored(wren));
    assertThat(said(robin)).containsExactly("before", "once");
    assertThat(events(robin)).isEqualTo(2);
  }

  @Test
  void ofTwoSendersOfOneIdTheFirstIsStored() throws Exception {
    var id = newId();
    assertThat(together(text(wren, "mine", id), text(robin, "STOP", id)))
        .containsExactly(stored(wren), new Acceptance.Repeated());
    assertThat(optedOut(robin)).isFalse();
  }

  @Test
  void anIdThatIsStoredAlreadyIsRepeatedWhateverComesWithIt() throws Exception {
    var before = text(robin, "before");
    line.bean(Inbox.class).accept(before);
    var stop = text(robin, "STOP", before.providerId());
    assertThat(together(before, text(wren, "hello"), stop, text(robin, "after")))
        .containsExactly(
            new Acceptance.Repeated(), stored(wren), new Acceptance.Repeated(), stored(robin));
    assertThat(said(robin)).containsExactly("before", "after");
    assertThat(optedOut(robin)).isFalse();
  }

  @Test
  void aStopBetweenTwoTextsOfOnePersonIsHeededAndTheyStayInOrder() throws Exception {
    var outcomes =
        together(text(robin, "one"), text(wren, "hello"), text(robin, "STOP"), text(robin, "two"));
    assertThat(outcomes).containsExactly(stored(robin), stored(wren), stored(robin), stored(robin));
    assertThat(said(robin)).containsExactly("one", "STOP", "two");
    assertThat(optedOut(robin)).isTrue();
    assertThat(optedOut(wren)).isFalse();
  }

  @Test
  void whatFollowsAStopIsReadAsBySomebodyWhoIsOptedOut() throws Exception {
    together(text(robin, "STOP"), text(wren, "yes"), text(robin, "yes"));
    assertThat(optedOut(robin)).isFalse();
    assertThat(
            line.column(
                "SELECT wish FROM inbox WHERE participant_id = ? AND kind = 'said' ORDER BY seq",
                robin.id()))
        .containsExactly("stop", "start");
  }

  @Test
  void aStrangerInAGroupIsKeptForStaff() throws Exception {
    var stranger = line.strangersNumber();
    assertThat(together(text(robin, "one"), text(stranger, "who is this?", newId())))
        .containsExactly(stored(robin), new Acceptance.UnknownSender());
    assertThat(line.column("SELECT body FROM unclaimed_text WHERE sender = ?", stranger.e164()))
        .containsExactly("who is this?");
  }

  @Test
  void aTextThatCannotBeStoredDoesNotFailTheOthers() throws Exception {
    var tooLong = new AtOnce<Acceptance>();
    var inbox = line.bean(Inbox.class);
    var callers = new AtOnce<Acceptance>();
    var busy = new Busy(line.enrol());
    callers.waiting(() -> inbox.accept(text(robin, "one")));
    tooLong.waiting(() -> inbox.accept(text(wren, "no", "x".repeat(200))));
    callers.waiting(() -> inbox.accept(text(robin, "two")));
    busy.end();
    assertThat(callers.outcomes()).containsExactly(stored(robin), stored(robin));
    assertThat(said(robin)).containsExactly("one", "two");
    assertThat(said(wren)).isEmpty();
    assertThatThrownBy(tooLong::outcomes).hasCauseInstanceOf(DataAccessException.class);
  }

  @Test
  void ofTwoNodesThatAreGivenTheSameTextsAtOnceOneStoresEach() throws Exception {
    try (var other = line.second().build()) {
      var texts = new ArrayList<IncomingText>();
      for (int i = 0; i < TEXTS_OF_A_RACE; i++) {
        texts.add(text(i % 2 == 0 ? robin : wren, "text " + i));
      }
      var here = accepting(line, texts);
      var there = accepting(other, texts.reversed());
      for (int i = 0; i < TEXTS_OF_A_RACE; i++) {
        assertThat(List.of(here.get(i).get(), there.get(TEXTS_OF_A_RACE - 1 - i).get()))
            .containsExactlyInAnyOrder(
                stored(i % 2 == 0 ? robin : wren), new Acceptance.Repeated());
      }
      assertThat(said(robin)).hasSize(TEXTS_OF_A_RACE / 2).doesNotHaveDuplicates();
      assertThat(said(wren)).hasSize(TEXTS_OF_A_RACE / 2).doesNotHaveDuplicates();
    }
  }

  @Test
  void ofTwoNodesThatAreGivenOneIdByTwoSendersAtOnceOneStoresIt() throws Exception {
    try (var other = line.second().build()) {
      var ids = Stream.generate(InboxTest::newId).limit(TEXTS_OF_A_RACE).toList();
      var here = accepting(line, ids.stream().map(id -> text(robin, "here", id)).toList());
      var there = accepting(other, ids.stream().map(id -> text(wren, "there", id)).toList());
      for (int i = 0; i < TEXTS_OF_A_RACE; i++) {
        var outcomes = List.of(here.get(i).get(), there.get(i).get());
        assertThat(outcomes).containsOnlyOnce(new Acceptance.Repeated());
      }
      assertThat(said(robin).size() + said(wren).size()).isEqualTo(TEXTS_OF_A_RACE);
    }
  }

  @Test
  void theChannelOfTheNewestTextIsReadFromItsWord() {
    var inbox = line.bean(Inbox.class);
    assertThat(inbox.lastChannel(robin.id())).isEmpty();
    line.text(robin, ChannelKind.SMS, "hello");
    line.text(robin, ChannelKind.WHATSAPP, "hello again");
    assertThat(
            line.column(
                "SELECT channel FROM inbox WHERE participant_id = ? ORDER BY seq DESC", robin.id()))
        .startsWith("whatsapp");
    assertThat(inbox.lastChannel(robin.id())).contains(ChannelKind.WHATSAPP);
  }

  /** Every text is given to this node on a thread of its own. */
  private static List<Future<Acceptance>> accepting(RunningLine node, List<IncomingText> texts) {
    var inbox = node.bean(Inbox.class);
    var outcomes = new ArrayList<Future<Acceptance>>();
    for (var text : texts) {
      var task = new FutureTask<Acceptance>(() -> inbox.accept(text));
      Thread.startVirtualThread(task);
      outcomes.add(task);
    }
    return outcomes;
  }
}
