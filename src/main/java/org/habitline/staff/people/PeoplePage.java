package org.habitline.staff.people;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.habitline.participants.ChannelKind;
import org.habitline.participants.ConsentState;
import org.habitline.staff.web.ApiProblem;
import org.habitline.staff.web.Choice;
import org.habitline.staff.web.PageFrame;
import org.habitline.study.figures.Participation;
import org.jspecify.annotations.Nullable;

/**
 * The list of participants, with the enrolment form.
 *
 * @param complaint why the filter was refused, or empty
 * @param cursor where this page of the list starts, or {@code null} for the newest
 * @param older the cursor of the next page, or {@code null} after the last
 */
public record PeoplePage(
    PageFrame frame,
    List<Row> rows,
    Filter filter,
    String complaint,
    @Nullable String cursor,
    @Nullable String older,
    Form form) {

  /**
   * One participant of the list.
   *
   * @param studyId the study's own id, or empty
   * @param phone the last two digits only
   * @param participation how they take part
   * @param consent what is missing of their consent, or empty
   * @param lastMessageAt RFC 3339, or empty if there are no messages
   * @param failure why the newest turn failed, or empty
   * @param brake why the newest turn sent no reply, or empty
   */
  public record Row(
      String id,
      String name,
      String studyId,
      String phone,
      Participation participation,
      boolean optedOut,
      String consent,
      String module,
      String flow,
      String lastMessageAt,
      String lastActivity,
      boolean answering,
      String failure,
      String brake) {

    /** Returns the words of the first tag: how they take part, or why they do not consent. */
    public String tag() {
      return participation == Participation.NO_CONSENT ? consent : participation.title();
    }

    /** Returns whether something besides their status keeps the coach from writing to them. */
    public boolean held() {
      return switch (participation) {
        case WAITING_FOR_CONSENT, NO_CONSENT, OPTED_OUT, PAUSED_BY_INCIDENT -> true;
        case ACTIVE, PAUSED, COMPLETED, WITHDRAWN -> false;
      };
    }

    /** Returns whether the first tag does not say yet that they opted out. */
    public boolean alsoOptedOut() {
      return optedOut && participation != Participation.OPTED_OUT;
    }

    /** Returns what else is missing of their consent, or empty. */
    public String alsoConsent() {
      return participation == Participation.NO_CONSENT ? "" : consent;
    }
  }

  /**
   * The enrolment form, filled in again if it was refused.
   *
   * @param problems why it was refused, or empty
   * @param channels the service's channels, the default first
   * @param languages the languages that any flow has
   * @param fields the study's own fields
   */
  public record Form(
      List<Problem> problems,
      EnrolmentDesk.Wanted said,
      List<ChannelKind> channels,
      List<String> flows,
      String defaultFlow,
      List<String> languages,
      List<String> zones,
      String defaultZone,
      List<CustomFields.Input> fields) {

    /** Returns whether the default channel is the simulator. */
    public boolean simulated() {
      return channels.getFirst().isSimulated();
    }

    /** Returns why a field was refused, or empty. */
    public String problem(String field) {
      return problems.stream()
          .filter(problem -> problem.field().equals(field))
          .map(Problem::beside)
          .findFirst()
          .orElse("");
    }

    /** Returns whether this is the first field with a problem. */
    public boolean first(String field) {
      return !problems.isEmpty() && problems.getFirst().field().equals(field);
    }

    /** Returns the value to show in a field. */
    public String value(@Nullable String given) {
      return given == null ? "" : given;
    }
  }

  /**
   * A reason why the form was refused.
   *
   * @param field name in the REST API, or empty if it is about no one field
   * @param sentence the error message, with the name of the field
   * @param beside the error message to show beside the field, without its name
   */
  public record Problem(String field, String sentence, String beside) {

    static Problem of(ApiProblem problem) {
      return new Problem(problem.field().orElse(""), problem.onPage(), problem.besideField());
    }
  }

  /**
   * The filters of the list; an empty one matches all.
   *
   * @param q the search words
   * @param status the stored status, in links of scripts and older pages; the form has {@code
   *     participation} instead
   * @param flows the flows to choose from
   * @param subStates the modules to choose from
   */
  public record Filter(
      String q,
      String participation,
      String status,
      String flow,
      String subState,
      String optedOut,
      String consent,
      List<String> flows,
      List<Choice> subStates) {

    /** Returns the ways of taking part to choose from. */
    public List<Participation> participations() {
      return List.of(Participation.values());
    }

    /** Returns the states of consent to choose from. */
    public List<ConsentState> consents() {
      return List.of(ConsentState.values());
    }

    /** Returns whether any filter is set. */
    public boolean narrows() {
      return !(q + participation + status + flow + subState + optedOut + consent).isEmpty();
    }

    /** Returns how many filters besides the search words are set. */
    public int chosen() {
      return (int)
          Stream.of(participation, status, flow, subState, optedOut, consent)
              .filter(it -> !it.isEmpty())
              .count();
    }

    /** Returns whether the list shows exactly those who take part in one way. */
    public boolean shows(Participation way) {
      return participation.equals(way.word()) && chosen() == 1 && q.isEmpty();
    }

    private String query() {
      return Stream.of(
              pair("q", q),
              pair("participation", participation),
              pair("status", status),
              pair("flow", flow),
              pair("sub_state", subState),
              pair("opted_out", optedOut),
              pair("consent", consent))
          .flatMap(Optional::stream)
          .collect(Collectors.joining("&"));
    }

    private static Optional<String> pair(String name, String value) {
      return value.isEmpty()
          ? Optional.empty()
          : Optional.of(name + "=" + URLEncoder.encode(value, StandardCharsets.UTF_8));
    }
  }

  /** Returns what a row says about consent: nothing if it is given or was never asked for. */
  static String consent(ConsentState state) {
    return switch (state) {
      case NOT_ASKED, GIVEN, ELSEWHERE -> "";
      case AGE_ASKED, ASKED, DECLINED, NOT_ELIGIBLE, LEFT_TO_STAFF -> words(state);
    };
  }

  /** Returns a state of consent in words for staff. */
  public static String words(ConsentState state) {
    return switch (state) {
      case NOT_ASKED -> "consent not asked";
      case AGE_ASKED -> "asked for their age";
      case ASKED -> "asked for consent";
      case GIVEN -> "consented";
      case ELSEWHERE -> "consented elsewhere";
      case DECLINED -> "declined";
      case NOT_ELIGIBLE -> "too young";
      case LEFT_TO_STAFF -> "consent unclear";
    };
  }

  /** Returns the address of this page of the list, even if a form was posted to show it. */
  public String address() {
    return at(cursor);
  }

  /** Returns the address of the next page, with participants who enrolled earlier. */
  public String earlier() {
    return at(older);
  }

  private String at(@Nullable String place) {
    var query =
        Stream.of(filter.query(), place == null ? "" : "cursor=" + place)
            .filter(it -> !it.isEmpty())
            .collect(Collectors.joining("&"));
    return query.isEmpty() ? "/participants" : "/participants?" + query;
  }
}
