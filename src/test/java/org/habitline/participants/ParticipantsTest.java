package org.habitline.participants;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.micronaut.context.ApplicationContext;
import io.micronaut.context.BeanProvider;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.habitline.FreshHome;
import org.habitline.participants.ParticipantChange.NewText;
import org.habitline.storage.Transactions;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Who takes part, on the real database; the only listener is the test's. */
@Tag("database")
final class ParticipantsTest {

  private static final AtomicInteger NUMBERS = new AtomicInteger();
  private static final Heard HEARD = new Heard();

  private static ApplicationContext context;
  private static Participants participants;

  /** Writes down what it is told, and fails when the test wants it to. */
  private static final class Heard implements ParticipantListener {
    private final List<String> news = new CopyOnWriteArrayList<>();
    private @Nullable String failAt;

    private void hear(String what, String id) {
      if (what.equals(failAt)) {
        throw new IllegalStateException("The test wants " + what + " to fail.");
      }
      news.add(what + " " + id);
    }

    @Override
    public void enrolled(Participant participant, boolean byText) {
      hear("enrolled", participant.id());
    }

    @Override
    public void updated(Participant before, Participant after) {
      hear("updated", after.id());
    }

    @Override
    public void leaving(Participant participant) {
      hear("leaving", participant.id());
    }

    @Override
    public void erased(String participantId, boolean keepTranscript) {
      hear(keepTranscript ? "erased but the transcript" : "erased", participantId);
    }
  }

  private record Only(ParticipantListener get) implements BeanProvider<ParticipantListener> {
    @Override
    public Stream<ParticipantListener> stream() {
      return Stream.of(get);
    }
  }

  @BeforeAll
  static void start() {
    context = ApplicationContext.run(FreshHome.properties(ParticipantsTest.class));
    participants =
        new Participants(
            context.getBean(JdbcParticipants.class),
            context.getBean(JdbcConsents.class),
            context.getBean(JdbcZoneChanges.class),
            context.getBean(JdbcFlowChanges.class),
            context.getBean(JdbcFields.class),
            context.getBean(Erasures.class),
            context.getBean(Suppressed.class),
            context.getBean(ErasedSenders.class),
            new Only(HEARD),
            transactions(),
            context.getBean(Clock.class));
  }

  @AfterAll
  static void stop() {
    context.close();
  }

  @BeforeEach
  void forget() {
    HEARD.news.clear();
    HEARD.failAt = null;
  }

  private static PhoneNumber number() {
    return new PhoneNumber("+1206555" + (1000 + NUMBERS.incrementAndGet()));
  }

  private static Enrolment enrolment(PhoneNumber phone) {
    return new Enrolment(
        phone,
        "Robin Example",
        null,
        null,
        "Night shifts.\nTwo cats.",
        ZoneId.of("Europe/Berlin"),
        true,
        "habit",
        ChannelKind.SIMULATOR,
        false,
        null,
        null,
        null,
        Map.of());
  }

  private static Participant enrolled() {
    return participants.enrol(enrolment(number()));
  }

  private static ParticipantChange status(ParticipantStatus status) {
    return ParticipantChange.ofStatus(status);
  }

  private static List<Map<String, Object>> address(PhoneNumber phone) {
    return FreshHome.rows(context, "SELECT opted_out FROM address WHERE phone = ?", phone.e164());
  }

  @Test
  void whoIsEnrolledIsFoundByIdAndNumberAsTheyWereTold() {
    var phone = number();
    var robin = participants.enrol(enrolment(phone));
    assertThat(robin.id()).matches("conv_[0-9a-f]{24}");
    assertThat(robin.status()).isEqualTo(ParticipantStatus.ACTIVE);
    assertThat(robin.zoneAssumed()).isTrue();
    assertThat(robin.background()).isEqualTo("Night shifts.\nTwo cats.");
    assertThat(robin.gender()).isNull();
    assertThat(robin.createdAt()).isEqualTo(robin.enrolledAt()).isEqualTo(robin.updatedAt());
    assertThat(participants.find(robin.id())).contains(robin);
    assertThat(participants.findByPhone(phone)).contains(robin);
    assertThat(HEARD.news).containsExactly("enrolled " + robin.id());
  }

  @Test
  void aNumberIsEnrolledOnceAndTheRefusalDoesNotRepeatIt() {
    var phone = number();
    var robin = participants.enrol(enrolment(phone));
    assertThatThrownBy(() -> participants.enrol(enrolment(phone)))
        .isInstanceOf(AlreadyEnrolled.class)
        .hasMessageContaining(robin.id())
        .hasMessageNotContaining(phone.e164().substring(1));
    assertThat(HEARD.news).containsExactly("enrolled " + robin.id());
  }

  @Test
  void ofTwentyEnrolmentsOfOneNumberOneSucceeds() throws InterruptedException {
    var phone = number();
    var outcomes = atOnce(20, () -> participants.enrol(enrolment(phone)));
    assertThat(outcomes.stream().filter(Participant.class::isInstance)).hasSize(1);
    assertThat(outcomes.stream().filter(AlreadyEnrolled.class::isInstance)).hasSize(19);
    assertThat(HEARD.news).hasSize(1);
  }

  @Test
  void aListenerThatFailsUndoesTheEnrolment() {
    var phone = number();
    HEARD.failAt = "enrolled";
    assertThatThrownBy(() -> participants.enrol(enrolment(phone)))
        .isInstanceOf(IllegalStateException.class);
    assertThat(participants.findByPhone(phone)).isEmpty();
    assertThat(address(phone)).isEmpty();
    HEARD.failAt = null;
    assertThat(participants.enrol(enrolment(phone)).phone()).isEqualTo(phone);
  }

  @Test
  void aListenerThatFailsUndoesAnUpdateALeaveAndAnErasure() {
    var robin = enrolled();
    HEARD.failAt = "updated";
    assertThatThrownBy(() -> participants.update(robin.id(), status(ParticipantStatus.PAUSED)))
        .isInstanceOf(IllegalStateException.class);
    HEARD.failAt = "leaving";
    assertThatThrownBy(() -> participants.leave(robin.id(), false))
        .isInstanceOf(IllegalStateException.class);
    assertThat(participants.find(robin.id())).contains(robin);

    HEARD.failAt = "erased";
    participants.leave(robin.id(), false);
    assertThatThrownBy(() -> participants.erase(robin.id()))
        .isInstanceOf(IllegalStateException.class);
    assertThat(participants.findWithLeaving(robin.id())).isPresent();
    assertThat(address(robin.phone())).hasSize(1);
  }

  @Test
  void anUpdateChangesWhatItNamesAndClearsWhatItSaysIsNothing() {
    var robin = enrolled();
    var change =
        new ParticipantChange(
            null,
            new NewText("nonbinary"),
            null,
            new NewText(null),
            ZoneId.of("America/New_York"),
            null,
            null,
            null,
            null,
            null,
            Map.of());
    var after = participants.update(robin.id(), change).orElseThrow().after();
    assertThat(after.name()).isEqualTo("Robin Example");
    assertThat(after.gender()).isEqualTo("nonbinary");
    assertThat(after.background()).isNull();
    assertThat(after.zone()).isEqualTo(ZoneId.of("America/New_York"));
    assertThat(after.zoneAssumed()).isFalse();
    assertThat(after.status()).isEqualTo(ParticipantStatus.ACTIVE);
    assertThat(after.updatedAt()).isAfterOrEqualTo(robin.updatedAt());
    assertThat(participants.find(robin.id())).contains(after);
  }

  @Test
  void anUpdateThatChangesNothingTellsNobody() {
    var robin = enrolled();
    HEARD.news.clear();
    var same = ParticipantChange.ofPerson(new NewText("Robin Example"), null, null, null);
    var updated = participants.update(robin.id(), same).orElseThrow();
    assertThat(updated.after()).isEqualTo(updated.before()).isEqualTo(robin);
    assertThat(HEARD.news).isEmpty();
  }

  @Test
  void updatesOfOneParticipantDoNotUndoEachOther() throws InterruptedException {
    var robin = enrolled();
    var fields = new AtomicInteger();
    var outcomes =
        atOnce(
            3,
            () -> {
              int which = fields.getAndIncrement();
              return participants.update(
                  robin.id(),
                  ParticipantChange.ofPerson(
                      which == 0 ? new NewText("Sam Example") : null,
                      which == 1 ? new NewText("woman") : null,
                      which == 2 ? new NewText("Basque") : null,
                      null));
            });
    assertThat(outcomes).noneMatch(Throwable.class::isInstance);
    var after = participants.find(robin.id()).orElseThrow();
    assertThat(after.name()).isEqualTo("Sam Example");
    assertThat(after.gender()).isEqualTo("woman");
    assertThat(after.ethnicity()).isEqualTo("Basque");
  }

  @ParameterizedTest
  @EnumSource(ParticipantStatus.class)
  void whoIsActiveMayBecomeAnything(ParticipantStatus to) {
    var robin = enrolled();
    assertThat(participants.update(robin.id(), status(to)).orElseThrow().after().status())
        .isEqualTo(to);
  }

  @Test
  void afterWithdrawnComesOnlyActive() {
    var robin = enrolled();
    participants.update(robin.id(), status(ParticipantStatus.WITHDRAWN));
    for (var to : List.of(ParticipantStatus.PAUSED, ParticipantStatus.COMPLETED)) {
      assertThatThrownBy(() -> participants.update(robin.id(), status(to)))
          .isInstanceOf(StatusRefused.class)
          .hasMessageContaining("a withdrawn participant can only be made active again");
    }
    var again = participants.update(robin.id(), status(ParticipantStatus.ACTIVE));
    assertThat(again.orElseThrow().after().status()).isEqualTo(ParticipantStatus.ACTIVE);
  }

  @Test
  void activeCountsThoseWhoAreActiveAndStay() {
    var before = participants.active();
    var robin = enrolled();
    var sam = enrolled();
    var kim = enrolled();
    assertThat(participants.active()).isEqualTo(before + 3);
    participants.update(robin.id(), status(ParticipantStatus.PAUSED));
    participants.leave(sam.id(), false);
    assertThat(participants.active()).isEqualTo(before + 1);
    assertThat(participants.find(kim.id())).isPresent();
  }

  @Test
  void whoLeavesIsKnownOnlyToTheirLastText() {
    var robin = enrolled();
    assertThat(participants.leave(robin.id(), false)).isTrue();
    assertThat(participants.find(robin.id())).isEmpty();
    assertThat(participants.findByPhone(robin.phone())).isEmpty();
    assertThat(participants.findWithLeaving(robin.id())).isPresent();
    assertThat(participants.update(robin.id(), status(ParticipantStatus.PAUSED))).isEmpty();
    assertThat(participants.leave(robin.id(), false)).isFalse();
    assertThatThrownBy(() -> participants.enrol(enrolment(robin.phone())))
        .isInstanceOf(AlreadyEnrolled.class)
        .hasMessageContaining("being erased");
  }

  @Test
  void anErasureTakesTheNumberAndMayBeRepeated() {
    var robin = enrolled();
    participants.leave(robin.id(), true);
    participants.erase(robin.id());
    participants.erase(robin.id());
    assertThat(participants.findWithLeaving(robin.id())).isEmpty();
    assertThat(address(robin.phone())).isEmpty();
    assertThat(HEARD.news)
        .containsExactly(
            "enrolled " + robin.id(),
            "leaving " + robin.id(),
            "erased but the transcript " + robin.id());
    assertThat(participants.enrol(enrolment(robin.phone())).id()).isNotEqualTo(robin.id());
  }

  @Test
  void whoStaysIsNotErased() {
    var robin = enrolled();
    participants.erase(robin.id());
    assertThat(participants.find(robin.id())).contains(robin);
  }

  @Test
  void anOptOutOutlivesItsOwnerAndANewEnrolment() {
    var robin = enrolled();
    assertThat(participants.optOut(robin.id(), OptOutSource.KEYWORD)).isTrue();
    assertThat(participants.optOut(robin.id(), OptOutSource.KEYWORD)).isFalse();
    assertThat(participants.find(robin.id()).orElseThrow().optedOut()).isTrue();
    participants.leave(robin.id(), false);
    participants.erase(robin.id());
    assertThat(participants.findWithLeaving(robin.id())).isEmpty();
    assertThat(address(robin.phone())).as("the number itself goes").isEmpty();

    var again = participants.enrol(enrolment(robin.phone()));
    assertThat(again.optedOut()).isTrue();
    assertThat(participants.optIn(again.id())).isTrue();
    assertThat(participants.optIn(again.id())).isFalse();
    assertThat(participants.find(again.id()).orElseThrow().optedOut()).isFalse();
  }

  @Test
  void aChangeJoinsTheTransactionThatIsRunning() {
    Transactions transactions = transactions();
    var phone = number();
    var robin = enrolled();
    assertThatThrownBy(() ->
            transactions.write(() -> {
              participants.enrol(enrolment(phone));
              participants.optOut(robin.id(), OptOutSource.KEYWORD);
              throw new IllegalStateException("The outer transaction fails.");
            }))
        .isInstanceOf(IllegalStateException.class);
    assertThat(participants.findByPhone(phone)).isEmpty();
    assertThat(participants.find(robin.id()).orElseThrow().optedOut()).isFalse();
  }

  @Test
  void anErasureAndANewEnrolmentOfTheNumberDoNotTrip() throws InterruptedException {
    for (int round = 0; round < 20; round++) {
      var robin = enrolled();
      participants.leave(robin.id(), false);
      var turn = new AtomicInteger();
      var outcomes =
          atOnce(
              4,
              () -> {
                if (turn.getAndIncrement() == 0) {
                  participants.erase(robin.id());
                  return robin;
                }
                return participants.enrol(enrolment(robin.phone()));
              });
      assertThat(outcomes)
          .allMatch(
              outcome -> outcome instanceof Participant || outcome instanceof AlreadyEnrolled);
      assertThat(participants.findWithLeaving(robin.id())).isEmpty();
    }
  }

  @Test
  void pagesHoldEveryoneOnceNewestFirst() {
    var ids = new ArrayList<String>();
    for (int i = 0; i < 5; i++) {
      ids.addFirst(enrolled().id());
    }
    var found = new ArrayList<String>();
    var everyone = new Participants.Filter(null, null);
    Long before = Long.MAX_VALUE;
    while (before != null && found.size() < 5) {
      var page = participants.list(everyone, before, 2);
      page.participants().forEach(one -> found.add(one.id()));
      before = page.next();
    }
    assertThat(found.subList(0, 5)).isEqualTo(ids);
    assertThat(participants.list(new Participants.Filter(null, "none"), Long.MAX_VALUE, 2))
        .isEqualTo(new Participants.Page(List.of(), null));
  }

  private static Transactions transactions() {
    return context.getBean(Transactions.class);
  }

  /** Runs the same act on virtual threads at once; returns results and exceptions alike. */
  private static List<Object> atOnce(int threads, Callable<?> act) throws InterruptedException {
    var gate = new CountDownLatch(1);
    try (var executor = Executors.newVirtualThreadPerTaskExecutor()) {
      var running = new ArrayList<Future<?>>();
      for (int i = 0; i < threads; i++) {
        running.add(
            executor.submit(() -> {
              gate.await();
              return act.call();
            }));
      }
      gate.countDown();
      var outcomes = new ArrayList<Object>();
      for (var one : running) {
        try {
          outcomes.add(one.get());
        } catch (ExecutionException e) {
          outcomes.add(e.getCause());
        }
      }
      return outcomes;
    }
  }

  @Test
  void anOptedOutNumberThatIsGivenUpIsKeptAsAHashOnly() {
    var robin = enrolled();
    participants.optOut(robin.id(), OptOutSource.KEYWORD);
    participants.changeNumber(robin.id(), number());
    assertThat(address(robin.phone())).as("the number itself goes").isEmpty();
    assertThat(participants.enrol(enrolment(robin.phone())).optedOut())
        .as("the opt-out stays with the number")
        .isTrue();
    assertThat(participants.find(robin.id()).orElseThrow().optedOut()).isFalse();
  }

  @Test
  void anOptedOutNumberOfNobodyBecomesAHash() {
    var phone = number();
    participants.optOut(phone, OptOutSource.NOT_ENROLLED, Instant.parse("2026-11-20T10:00:00Z"));
    var robin = enrolled();
    participants.optOut(robin.id(), OptOutSource.KEYWORD);
    participants.forgetNumbersOfNobody();
    assertThat(address(phone)).isEmpty();
    assertThat(address(robin.phone())).hasSize(1);
    assertThat(participants.optOutOf(phone).orElseThrow().since())
        .isEqualTo(Instant.parse("2026-11-20T10:00:00Z"));
    assertThat(participants.enrol(enrolment(phone)).optedOut()).isTrue();
  }

  @Test
  void anOptOutThatIsRepeatedCountsFromItsNewestTime() {
    var first = Instant.parse("2026-11-20T10:00:00Z");
    var second = first.plusSeconds(600);
    var robin = enrolled();
    assertThat(participants.optOut(robin.id(), OptOutSource.KEYWORD, first)).isTrue();
    assertThat(participants.optOut(robin.id(), OptOutSource.KEYWORD, second)).isFalse();
    participants.optOut(robin.id(), OptOutSource.KEYWORD, first);
    assertThat(participants.optOutOf(robin.id()).orElseThrow().since()).isEqualTo(second);
    participants.leave(robin.id(), false);
    participants.erase(robin.id());
    participants.optOut(robin.phone(), OptOutSource.NOT_ENROLLED, second.plusSeconds(1));
    participants.optOut(robin.phone(), OptOutSource.NOT_ENROLLED, first);
    assertThat(address(robin.phone())).isEmpty();
    assertThat(participants.optOutOf(robin.phone()).orElseThrow().since())
        .isEqualTo(second.plusSeconds(1));
  }
}
