package org.habitline.staff.web;

import io.micronaut.http.HttpRequest;
import io.micronaut.http.context.ServerRequestContext;
import io.micronaut.security.authentication.Authentication;
import jakarta.inject.Named;
import jakarta.inject.Singleton;
import java.net.URI;
import java.time.Clock;
import java.time.Duration;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.habitline.conversation.DebugMode;
import org.habitline.conversation.DebugSettings;
import org.habitline.llm.LanguageModel;
import org.habitline.messaging.Channels;
import org.habitline.messaging.outbox.SendingStop;
import org.habitline.participants.Participant;
import org.habitline.participants.Participants;
import org.habitline.safety.alerts.TestAlerts;
import org.habitline.safety.incidents.Incident;
import org.habitline.safety.incidents.IncidentStatus;
import org.habitline.safety.incidents.Incidents;
import org.habitline.study.Rehearsal;
import org.habitline.study.StudyWalk;
import org.jspecify.annotations.Nullable;

/** Builds the frame of every page, which names the model that replies. */
@Singleton
public final class PageFrames {

  private static final String PARTICIPANT = "participant=";
  private static final String TODAY = "/";
  private static final String KEYS = "/access";

  /** Staff return to their own sessions, because the keys above them are for admins. */
  private static final String SESSIONS = "/access/sessions";

  /** Belongs to the menu of the session and to no entry of the navigation. */
  private static final String ACCOUNT = "/account";

  private static final String SIMULATOR = "/simulator";
  private static final String SYSTEM = "/system";
  private static final String SAFETY = "/safety";
  private static final String PARTICIPANTS = "/participants";

  /** Actions on participants chosen in their list. */
  private static final String BULK = "/bulk";

  private static final List<String> SECTIONS =
      List.of(TODAY, SAFETY, PARTICIPANTS, SIMULATOR, "/study", SYSTEM, KEYS, "/api-docs");

  private static final Pattern OF_ONE =
      Pattern.compile("/participants/[a-z0-9_]+(/simulator)?|/safety/[a-z0-9_]+");

  /** How many incidents are looked at for the banner; crises come first. */
  private static final int MOST_INCIDENTS = 100;

  private final LanguageModel model;
  private final Channels channels;
  private final Rehearsal rehearsal;
  private final StudyWalk walk;
  private final Incidents incidents;
  private final Participants participants;
  private final TestAlerts testAlerts;
  private final SendingStop sending;
  private final DebugMode debugMode;
  private final DebugSettings debugSettings;
  private final Attention attention;
  private final Tours tours;
  private final Clock systemClock;

  PageFrames(
      LanguageModel model,
      Channels channels,
      Rehearsal rehearsal,
      StudyWalk walk,
      Incidents incidents,
      Participants participants,
      TestAlerts testAlerts,
      SendingStop sending,
      DebugMode debugMode,
      DebugSettings debugSettings,
      Attention attention,
      Tours tours,
      @Named("system") Clock systemClock) {
    this.model = model;
    this.channels = channels;
    this.rehearsal = rehearsal;
    this.walk = walk;
    this.incidents = incidents;
    this.participants = participants;
    this.testAlerts = testAlerts;
    this.sending = sending;
    this.debugMode = debugMode;
    this.debugSettings = debugSettings;
    this.attention = attention;
    this.tours = tours;
    this.systemClock = systemClock;
  }

  /** Returns the frame of a page; {@code live} names the event stream that keeps it up to date. */
  public PageFrame frame(String title, @Nullable Authentication by, @Nullable String live) {
    var back = back(live);
    return frame(title, by, live, back.equals(KEYS) && !isAdmin(by) ? SESSIONS : back);
  }

  /** Returns the frame of a page with its own address, to which the frame's forms return. */
  public PageFrame frame(
      String title, @Nullable Authentication by, @Nullable String live, String address) {
    return new PageFrame(
        title,
        entry(),
        model.rehearsal(),
        model.describe(),
        channels.describe(),
        address,
        by == null ? null : by.getName(),
        by == null ? "" : Actor.of(by).role(),
        isStaff(by) ? attention.count(PageFrame.MANY) : 0,
        isStaff(by),
        Actor.seesIncidents(by),
        isAdmin(by),
        live,
        by == null || !rehearsal.on() ? null : clock(),
        by == null ? List.of() : notices(by),
        by == null ? null : testAlerts.banner().orElse(null),
        by == null ? null : sending.inForce().map(PageFrames::stop).orElse(null),
        by == null ? null : debug(),
        isStaff(by) ? tour(path()) : null);
  }

  /**
   * Returns what the tour shows on the page at a path: the offer on Today, the panel of the step on
   * every page, and after the tour a note wherever its example participant is shown or counted.
   */
  private PageFrame.@Nullable Tour tour(String path) {
    var current = tours.current();
    if (current.isEmpty()) {
      return path.equals(TODAY) && tours.offered()
          ? new PageFrame.Tour(
              null, 0, TourStep.all(tours.dailyPrompts()).size(), true, TODAY, true)
          : null;
    }
    var tour = current.get();
    var noted = isUnder(path, "/study") || path.equals("/participants/" + tour.participantId());
    var step = tours.takeable() ? tour.step() : TourStep.OVER;
    if (step == TourStep.OVER && !noted) {
      return null;
    }
    var steps = TourStep.all(tours.dailyPrompts());
    var page = step.page(tour.participantId());
    return new PageFrame.Tour(
        step, steps.indexOf(step) + 1, steps.size(), path.equals(page), page, tours.dailyPrompts());
  }

  private static boolean isStaff(@Nullable Authentication by) {
    return by != null && by.getRoles().contains("staff");
  }

  private static boolean isAdmin(@Nullable Authentication by) {
    return by != null && by.getRoles().contains("admin");
  }

  private List<PageFrame.Notice> notices(Authentication by) {
    var found =
        incidents.unreleased(MOST_INCIDENTS).stream()
            .filter(Incident::alertsStaff)
            .filter(it -> !isUnder(path(), SAFETY + "/" + it.id()))
            .toList();
    return Stream.of(true, false)
        .flatMap(inDanger -> {
          var these = found.stream().filter(it -> it.isDanger() == inDanger).toList();
          return Stream.of(
              notice(by, these.stream().filter(PageFrames::isOpen).toList(), it -> open(by, it)),
              notice(by, these.stream().filter(PageFrames::hasNews).toList(), it -> news(by, it)));
        })
        .flatMap(Optional::stream)
        .toList();
  }

  private static boolean isOpen(Incident incident) {
    return incident.status() == IncidentStatus.OPEN;
  }

  private static boolean hasNews(Incident incident) {
    return incident.newTextAt().isPresent();
  }

  private static Optional<PageFrame.Notice> notice(
      Authentication by, List<Incident> about, Function<List<Incident>, String> says) {
    if (about.isEmpty()) {
      return Optional.empty();
    }
    var address = about.size() == 1 ? SAFETY + "/" + about.getFirst().id() : SAFETY;
    return Optional.of(
        new PageFrame.Notice(
            about.getFirst().isDanger(),
            says.apply(about),
            about.size(),
            Actor.seesIncidents(by) ? address : ""));
  }

  /** Returns what the incidents are that no one has acknowledged. */
  private String open(Authentication by, List<Incident> open) {
    var number = open.size();
    if (open.getFirst().isDanger()) {
      return number == 1
          ? name(by, open.getFirst()).orElse("Someone") + " may be in danger."
          : number + " participants may be in danger.";
    }
    return number == 1
        ? "The coach flagged something urgent for "
            + name(by, open.getFirst()).orElse("someone")
            + "."
        : "The coach flagged something urgent for " + number + " participants.";
  }

  /** Returns what came in acknowledged incidents since their acknowledgement. */
  private String news(Authentication by, List<Incident> changed) {
    var number = changed.size();
    var first = changed.getFirst();
    var who =
        first.isDanger()
            ? "who may be in danger"
            : number == 1 ? "who has an urgent flag" : "who have an urgent flag";
    return number == 1
        ? "New text from %s, %s, after %s acknowledged the incident."
            .formatted(name(by, first).orElse("someone"), who, first.acknowledgedBy())
        : "New texts from %d participants %s, after their incidents were acknowledged."
            .formatted(number, who);
  }

  /**
   * Returns the name of whom an incident is about, or else their study id; empty if they have
   * neither, or if the reader may see nobody's name.
   */
  private Optional<String> name(Authentication by, Incident incident) {
    return Optional.ofNullable(incident.participantId())
        .filter(id -> by.getRoles().contains("viewer"))
        .flatMap(participants::find)
        .filter(it -> it.name() != null || it.studyId() != null)
        .map(Participant::shownName);
  }

  private PageFrame.@Nullable Debug debug() {
    if (debugSettings.debug()) {
      return new PageFrame.Debug("The setting HABITLINE_DEBUG switches them on.", false);
    }
    return debugMode
        .inForce(DebugMode.ALL)
        .map(it ->
            new PageFrame.Debug(
                it.startedBy()
                    + " switched them on until "
                    + Times.minutes(it.until(), ZoneOffset.UTC)
                    + " UTC.",
                true))
        .orElse(null);
  }

  private PageFrame.Clock clock() {
    var here = walk.here();
    return new PageFrame.Clock(
        Times.day(here.now(), ZoneOffset.UTC),
        here.nextWakeup().map(at -> Times.day(at, ZoneOffset.UTC)).orElse(""),
        ahead(Duration.between(systemClock.instant(), here.now())));
  }

  private static String ahead(Duration by) {
    return by.compareTo(Duration.ofMinutes(1)) < 0 ? "" : Times.inTwoUnits(by);
  }

  private static PageFrame.Stop stop(SendingStop.Stopped stopped) {
    return new PageFrame.Stop(
        stopped.by(), Times.minutes(stopped.at(), ZoneOffset.UTC), sentence(stopped.reason()));
  }

  /** Returns the words with a full stop, unless they end with a punctuation mark already. */
  public static String sentence(@Nullable String words) {
    if (words == null || words.isBlank()) {
      return "";
    }
    return ".!?…".indexOf(words.charAt(words.length() - 1)) < 0 ? words + "." : words;
  }

  /** Returns the page that a form names to return to, or Today if it names no page of ours. */
  public static URI back(Map<String, String> form) {
    var back = form.getOrDefault("back", TODAY);
    var ours = SECTIONS.contains(back) || back.equals(SESSIONS) || OF_ONE.matcher(back).matches();
    return URI.create(ours ? back : TODAY);
  }

  /**
   * Returns the page of the participant whom the event stream is about, or else the page of the
   * navigation.
   */
  private static String back(@Nullable String live) {
    return live == null || !live.contains(PARTICIPANT)
        ? section()
        : "/participants/" + live.substring(live.indexOf(PARTICIPANT) + PARTICIPANT.length());
  }

  /** Returns the entry of the navigation, or of the session's menu, that is shown as current. */
  private static String entry() {
    var path = path();
    if (isUnder(path, "/today")) {
      return TODAY;
    }
    if (isUnder(path, KEYS)) {
      return SYSTEM;
    }
    if (isUnder(path, ACCOUNT)) {
      return ACCOUNT;
    }
    return isUnder(path, PARTICIPANTS) && path.contains(SIMULATOR) ? SIMULATOR : section();
  }

  /** Returns the page to which forms of the current page return, or empty if there is none. */
  private static String section() {
    var path = isUnder(path(), BULK) ? PARTICIPANTS : path();
    return SECTIONS.stream().filter(it -> isUnder(path, it)).findFirst().orElse("");
  }

  /** Returns the path of the current request, or empty if there is none. */
  private static String path() {
    return ServerRequestContext.currentRequest().map(HttpRequest::getPath).orElse("");
  }

  private static boolean isUnder(String path, String section) {
    return path.equals(section) || (!section.equals(TODAY) && path.startsWith(section + "/"));
  }
}
