package org.habitline.conversation.wakeups;

import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Duration;
import java.time.LocalDate;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.ZoneId;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.function.UnaryOperator;
import org.habitline.RunningLine;
import org.habitline.conversation.stored.StateReader;
import org.habitline.llm.openai.Scripted;
import org.habitline.llm.openai.StrictFakeServer;
import org.habitline.messaging.Delivery;
import org.habitline.messaging.OutboundMessage;
import org.habitline.messaging.TestChannel;
import org.habitline.messaging.inbox.InboundHandler;
import org.habitline.messaging.inbox.InboundHandler.Handled;
import org.habitline.participants.ChannelKind;
import org.habitline.participants.Participant;
import org.habitline.participants.ParticipantChange;
import org.habitline.participants.ParticipantStatus;
import org.habitline.participants.Participants;
import org.habitline.timers.Sweeps;

/**
 * Days on a line whose clock tests move. People live in Berlin, where every day begins at 08:15;
 * nothing rings unless a test lets time pass. SMS go to a provider that does what a test says.
 */
public final class PromptDay implements AutoCloseable {

  public static final String PROMPT =
      "After the coffee brews, try one minute of stretching — it helps you wake up.";
  public static final String QUESTION = "Did you do it? Reply Done or Next time.";
  public static final String WITH_QUESTION = PROMPT + "\n\n" + QUESTION;

  /** The same in the alphabet of SMS, in which it costs one segment instead of two. */
  public static final String BY_SMS = WITH_QUESTION.replace('—', '-');

  static final String INTENSITY =
      "How is the intensity? It is normal now; reply low or high to change it.";
  static final String REMINDER =
      "A gentle reminder of today's one minute. If it happened, reply Done; if not, Next time is"
          + " fine too.";

  private static final ZoneId BERLIN = ZoneId.of("Europe/Berlin");

  /** Ways in which a participant ceases to be texted. */
  enum Departure {
    PAUSED,
    COMPLETED,
    WITHDRAWN,
    STOP,
    DELETED
  }

  private final RunningLine line;
  private final TestChannel sms;
  private LocalDate today = LocalDate.EPOCH;

  private PromptDay(RunningLine line, TestChannel sms) {
    this.line = line;
    this.sms = sms;
  }

  public static PromptDay of(Class<?> test) {
    return of(test, setup -> setup);
  }

  public static PromptDay of(Class<?> test, UnaryOperator<RunningLine.Setup> more) {
    var sms = new TestChannel(ChannelKind.SMS);
    var day = new PromptDay(more.apply(RunningLine.in(test).bean(sms)).start(), sms);
    day.begin();
    return day;
  }

  public RunningLine line() {
    return line;
  }

  public StrictFakeServer fake() {
    return line.fake();
  }

  public TestChannel sms() {
    return sms;
  }

  /** The next morning, without anybody of the day before. */
  public void begin() {
    var participants = line.bean(Participants.class);
    participants
        .list(new Participants.Filter(ParticipantStatus.ACTIVE, null), Long.MAX_VALUE, 100)
        .participants()
        .forEach(participant -> becomes(participant, ParticipantStatus.WITHDRAWN));
    sms.forget();
    fake().forget();
    fake().otherwise(asked -> Scripted.say(asked.hasTools() ? "All right." : PROMPT));
    at("08:15");
    today = line.study().instant().atZone(BERLIN).toLocalDate();
  }

  public String today() {
    return today.toString();
  }

  public String tomorrow() {
    return today.plusDays(1).toString();
  }

  /** A time of this day in Berlin as state data show it. */
  public String utc(String time) {
    return today.atTime(LocalTime.parse(time)).atZone(BERLIN).toInstant().toString();
  }

  /** It becomes this time in Berlin, today or tomorrow; nothing rings yet. */
  public void at(String time) {
    var now = line.study().instant().atZone(BERLIN);
    var then = now.with(LocalTime.parse(time));
    line.study().advance(Duration.between(now, then.isAfter(now) ? then : then.plusDays(1)));
  }

  /** Rings whatever is due; returns how many wake-ups that were. */
  public int sweep() {
    return line.bean(Sweeps.class).sweep();
  }

  public int ringsAt(String time) {
    at(time);
    return sweep();
  }

  int ringsAfter(Duration time) {
    line.study().advance(time);
    return sweep();
  }

  /** Lets it become this time and waits for the turn of whatever rings then. */
  public Map<String, Object> turnAt(Participant participant, String time) {
    var next = line.turns(participant) + 1;
    ringsAt(time);
    return awaitTurn(participant, next);
  }

  Map<String, Object> turnAfter(Participant participant, Duration time) {
    var next = line.turns(participant) + 1;
    ringsAfter(time);
    return awaitTurn(participant, next);
  }

  /** Tests change what a look for the next text might have read before it, so it ends first. */
  private Map<String, Object> awaitTurn(Participant participant, int number) {
    var turn = line.awaitTurn(participant, number);
    line.awaitRest(participant);
    return turn;
  }

  public Participant greeted(ChannelKind channel) {
    var participant = line.enrol(channel);
    awaitTurn(participant, 1);
    fake().forget();
    return participant;
  }

  /** Somebody with a simulated phone who wants a prompt at this time every day. */
  public Participant scheduled(String time) {
    return scheduled(ChannelKind.SIMULATOR, time);
  }

  public Participant scheduled(ChannelKind channel, String time) {
    var participant = greeted(channel);
    fake().then(profile(), fixed(time), Scripted.say("Planned."));
    line.answered(participant, "at " + time + " please");
    line.awaitRest(participant);
    return participant;
  }

  /** Somebody whose prompt of today, at 09:30, was accepted by the provider. */
  public Participant prompted() {
    return prompted(ChannelKind.SIMULATOR);
  }

  public Participant prompted(ChannelKind channel) {
    var participant = scheduled(channel, "09:30");
    turnAt(participant, "09:30");
    return participant;
  }

  public static Scripted profile() {
    return Scripted.call(
        "save_user_profile",
        "{\"prompt_anchor\":\"while the coffee brews\",\"preferred_time\":\"9:30\"}");
  }

  public static Scripted fixed(String time) {
    return scheduler("{\"action\":\"create\",\"type\":\"fixed\",\"fixed_time\":\"" + time + "\"}");
  }

  public static Scripted scheduler(String arguments) {
    return Scripted.call("scheduler", arguments);
  }

  public static Scripted transition(String to, String minutes) {
    return Scripted.call(
        "transition_state", "{\"target_state\":\"" + to + "\",\"delay_minutes\":" + minutes + "}");
  }

  public static Scripted generate(String mode) {
    return Scripted.call("generate_habit_prompt", "{\"delivery_mode\":\"" + mode + "\"}");
  }

  /** A provider that takes a text when it is let go. */
  public static Delivery after(CountDownLatch held, OutboundMessage message) {
    try {
      held.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    return TestChannel.accepted(message);
  }

  /** A text in whose turn the model calls a tool. */
  public Map<String, Object> answered(Participant participant, Scripted call) {
    fake().then(call, Scripted.say("As you wish."));
    return line.answered(participant, "please");
  }

  public void becomes(Participant participant, ParticipantStatus status) {
    line.bean(Participants.class).update(participant.id(), ParticipantChange.ofStatus(status));
  }

  void livesIn(Participant participant, String zone) {
    line.bean(Participants.class)
        .update(participant.id(), ParticipantChange.ofZone(ZoneId.of(zone)));
  }

  /** They go; that a STOP is answered with nothing is not waited for. */
  void departs(Participant participant, Departure how) {
    switch (how) {
      case PAUSED, COMPLETED, WITHDRAWN ->
          becomes(participant, ParticipantStatus.valueOf(how.name()));
      case STOP -> line.text(participant, "STOP");
      case DELETED -> line.bean(Participants.class).leave(participant.id(), false);
    }
  }

  void awaitErased(Participant participant) {
    await()
        .until(
            () -> line.rows("SELECT id FROM participant WHERE id = ?", participant.id()).isEmpty());
  }

  /** Whatever comes for the participant meanwhile waits, as if another node were answering them. */
  public void busy(Participant participant, Runnable meanwhile) {
    line.write(
        "UPDATE lease SET owner = 'another', held_until = ? WHERE participant_id = ?",
        OffsetDateTime.parse("2100-01-01T00:00:00Z"),
        participant.id());
    meanwhile.run();
    line.write(
        "UPDATE lease SET owner = NULL, held_until = NULL WHERE participant_id = ?",
        participant.id());
    Handled handled;
    do {
      handled = line.bean(InboundHandler.class).handle(participant.id());
    } while (handled instanceof Handled.Answered);
    // The line itself may have been quicker and still be at it.
    await()
        .until(() ->
            line.rows(
                    "SELECT seq FROM inbox WHERE participant_id = ? AND status = 'waiting'",
                    participant.id())
                .isEmpty());
  }

  /** Kinds of wake-ups that wait, by due time. */
  public List<String> wakeups(Participant participant) {
    return wakeupsAndNudges(participant).stream().filter(kind -> !kind.equals("nudge")).toList();
  }

  /** The same with nudges, which are planned whenever a reply of the intake was accepted. */
  public List<String> wakeupsAndNudges(Participant participant) {
    return line.column(
        "SELECT kind FROM wakeup WHERE participant_id = ? AND status = 'waiting' ORDER BY due_at",
        participant.id());
  }

  /** The id of the newest wake-up of a kind. */
  public String wakeupId(Participant participant, String kind) {
    return String.valueOf(wakeup(participant, kind).get("id"));
  }

  Map<String, Object> wakeup(String id) {
    return line.rows("SELECT * FROM wakeup WHERE id = ?", id).getFirst();
  }

  /** The newest wake-up of a kind. */
  Map<String, Object> wakeup(Participant participant, String kind) {
    return line.rows(
            "SELECT * FROM wakeup WHERE participant_id = ? AND kind = ? ORDER BY due_at",
            participant.id(),
            kind)
        .getLast();
  }

  public Map<String, Object> occurrence(Participant participant, String date) {
    return line.rows(
            "SELECT * FROM occurrence WHERE participant_id = ? AND local_date = ?",
            participant.id(),
            date)
        .getFirst();
  }

  /** The bodies of everything that was to go out, of one kind. */
  public List<String> texts(Participant participant, String kind) {
    return line.column(
        "SELECT body FROM outbox WHERE participant_id = ? AND kind = ? ORDER BY seq",
        participant.id(),
        kind);
  }

  public Map<String, Object> state(Participant participant) {
    return line.bean(StateReader.class).state(now(participant), true);
  }

  public JsonNode profile(Participant participant) {
    return line.bean(StateReader.class).profile(now(participant)).json().orElseThrow();
  }

  public Participant now(Participant participant) {
    return line.bean(Participants.class).find(participant.id()).orElseThrow();
  }

  @Override
  public void close() {
    line.close();
  }
}
