package org.habitline.staff.people;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.habitline.participants.ChannelKind;
import org.habitline.participants.ParticipantStatus;
import org.habitline.staff.web.ApiProblem;
import org.habitline.staff.web.PageFrame;
import org.jspecify.annotations.Nullable;

/**
 * The list of participants with the form that enrols one.
 *
 * @param complaint why the filter was not accepted, or empty
 * @param cursor where this page of the list starts, or {@code null} at the newest
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
   * @param phone the last two digits only
   * @param lastMessageAt RFC 3339, or empty when nothing was said
   * @param failure why the newest turn failed, or empty
   * @param brake why it was left without an answer, or empty
   */
  public record Row(
      String id,
      String name,
      String phone,
      String status,
      boolean optedOut,
      String subState,
      String flow,
      String lastMessageAt,
      String lastActivity,
      boolean answering,
      String failure,
      String brake) {}

  /**
   * The enrolment form, with what was said before if it was not accepted.
   *
   * @param problems why not; empty if nothing was refused
   * @param channels those of this line, the usual one first
   */
  public record Form(
      List<Problem> problems,
      EnrolmentDesk.Wanted said,
      List<ChannelKind> channels,
      List<String> flows,
      String defaultFlow,
      List<String> zones,
      String defaultZone) {

    /** Whether whoever is enrolled without more ado has a simulated phone. */
    public boolean simulated() {
      return channels.getFirst().isSimulated();
    }

    /** Why what was said in a field is refused, or empty if it is not. */
    public String problem(String field) {
      return problems.stream()
          .filter(problem -> problem.field().equals(field))
          .map(Problem::beside)
          .findFirst()
          .orElse("");
    }

    /** Whether this is the first field that has a problem. */
    public boolean first(String field) {
      return !problems.isEmpty() && problems.getFirst().field().equals(field);
    }

    /** What stands in a field. */
    public String value(@Nullable String given) {
      return given == null ? "" : given;
    }
  }

  /**
   * Something that is refused.
   *
   * @param field as REST calls it, or empty if it is about no one field
   * @param sentence with the name of the field
   * @param beside the same beside the field, without its name
   */
  public record Problem(String field, String sentence, String beside) {

    static Problem of(ApiProblem problem) {
      return new Problem(problem.field().orElse(""), problem.onPage(), problem.besideField());
    }
  }

  /**
   * What narrows the list; empty texts do not.
   *
   * @param q what is looked for
   * @param flows all that can be chosen
   * @param subStates all that can be chosen
   */
  public record Filter(
      String q,
      String status,
      String flow,
      String subState,
      String optedOut,
      List<String> flows,
      List<String> subStates) {

    /** What can be chosen. */
    public List<String> statuses() {
      return Arrays.stream(ParticipantStatus.values()).map(ParticipantStatus::word).toList();
    }

    /** Whether anything narrows the list. */
    public boolean narrows() {
      return !(q + status + flow + subState + optedOut).isEmpty();
    }

    private String query() {
      return Stream.of(
              pair("q", q),
              pair("status", status),
              pair("flow", flow),
              pair("sub_state", subState),
              pair("opted_out", optedOut))
          .flatMap(Optional::stream)
          .collect(Collectors.joining("&"));
    }

    private static Optional<String> pair(String name, String value) {
      return value.isEmpty()
          ? Optional.empty()
          : Optional.of(name + "=" + URLEncoder.encode(value, StandardCharsets.UTF_8));
    }
  }

  /** Where this page of the list is found, whatever form was posted to get here. */
  public String address() {
    return at(cursor);
  }

  /** Where the page of those who enrolled earlier is found. */
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
