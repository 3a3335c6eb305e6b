package org.habitline.staff.people;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import org.habitline.participants.ChannelKind;
import org.habitline.participants.ConsentState;
import org.habitline.protocol.StudyField;
import org.habitline.protocol.StudyFields;
import org.habitline.staff.web.ApiProblem;
import org.habitline.staff.web.Choice;
import org.habitline.staff.web.HabitLine;
import org.habitline.staff.web.PageFrame;
import org.habitline.study.figures.Participation;
import org.jspecify.annotations.Nullable;

/**
 * The list of participants, with the enrolment form.
 *
 * @param heads the columns shown, after the name
 * @param columns all columns to choose from
 * @param listed what the list shows of all participants
 * @param tabs the ways of taking part that any matching participant has
 * @param views the lists that the team saved
 * @param total how many participants match
 * @param complaint why the list or a form beside it was refused, or empty
 * @param next the address of the next page, or empty after the last
 * @param form to enrol somebody
 * @param acts what the reader may do with selected participants; empty for nothing
 */
public record PeoplePage(
    PageFrame frame,
    List<Head> heads,
    List<ColumnChoice> columns,
    List<Row> rows,
    Filter filter,
    Listed listed,
    List<Tab> tabs,
    List<View> views,
    long total,
    String complaint,
    String next,
    Form form,
    List<Act> acts) {

  /** Returns whether a row of this page has a habit line. */
  public boolean showsHabitLine() {
    return rows.stream().anyMatch(row -> row.line() != null && !row.line().isEmpty());
  }

  /** The address of the list, which its pages and orders share. */
  static final String ADDRESS = "/participants";

  /**
   * The head of a column.
   *
   * @param column {@code null} for the name
   * @param title as shown
   * @param address the list sorted by the column, or empty if that is not possible
   * @param sorted {@code ascending} or {@code descending}, or {@code null} if the list is not
   *     sorted by it
   */
  public record Head(
      @Nullable PeopleColumn column, String title, String address, @Nullable String sorted) {}

  /** A column to choose, and whether it is shown. */
  public record ColumnChoice(PeopleColumn column, boolean shown) {}

  /** One way of taking part; how many of those who match otherwise take part in it. */
  public record Tab(String title, long count, String address, boolean current) {}

  /** A list that the team saved by name. */
  public record View(String id, String name, String address, boolean current) {}

  /** An action for the selected participants, with the words of its button. */
  public record Act(String word, String title) {}

  /**
   * What the list shows: the filters, the order, the columns if the address names them, and where
   * the page begins.
   *
   * @param filters parameters, by name
   * @param sort as in the address, or empty for newest first
   * @param columns as in the address, or empty for those of the reader
   * @param cursor empty for the first page
   */
  public record Listed(Map<String, String> filters, String sort, String columns, String cursor) {

    static final Listed ALL = new Listed(Map.of(), "", "", "");

    /** Returns the parameters without the place of the page, for hidden fields of forms. */
    public Map<String, String> parameters() {
      var all = new LinkedHashMap<>(filters);
      put(all, "sort", sort);
      put(all, "columns", columns);
      return all;
    }

    /**
     * Returns the parameters of a view with this order and these filters, encoded.
     *
     * @param fields the study's own fields
     */
    String saved(String shown, StudyFields fields) {
      var kept = new LinkedHashMap<>(filters);
      kept.keySet().removeIf(filter -> isPersonal(filter, fields));
      put(kept, "sort", sort);
      put(kept, "columns", shown);
      return encoded(kept);
    }

    /**
     * Returns whether a filter may be about one person, whom a saved view would outlive: words and
     * ids, and every field without declared choices.
     */
    static boolean isPersonal(String filter, StudyFields fields) {
      return filter.equals("q")
          || filter.equals("study_id")
          || CustomFields.named(filter)
              .filter(name -> fields.find(name).filter(StudyField::isChoice).isEmpty())
              .isPresent();
    }

    Listed sortedBy(String order) {
      return new Listed(filters, order, columns, "");
    }

    Listed at(String place) {
      return new Listed(filters, sort, columns, place);
    }

    /** Returns the same list of those who take part in one way, or of all for an empty word. */
    Listed of(String participation) {
      var others = new LinkedHashMap<>(filters);
      others.remove("status");
      others.remove("participation");
      put(others, "participation", participation);
      return new Listed(others, sort, columns, "");
    }

    /** Returns the address of the list. */
    public String address() {
      var all = parameters();
      put(all, "cursor", cursor);
      return address(encoded(all));
    }

    static String address(String parameters) {
      return parameters.isEmpty() ? ADDRESS : ADDRESS + "?" + parameters;
    }

    private static void put(Map<String, String> all, String name, String value) {
      if (!value.isEmpty()) {
        all.put(name, value);
      }
    }

    private static String encoded(Map<String, String> parameters) {
      return parameters.entrySet().stream()
          .map(it -> it.getKey() + "=" + URLEncoder.encode(it.getValue(), StandardCharsets.UTF_8))
          .collect(Collectors.joining("&"));
    }
  }

  /**
   * A value in a column.
   *
   * @param text empty if there is none
   * @param more what is written beside it in grey, or empty
   * @param hint what it says on hovering, or empty
   * @param at RFC 3339 for a time, or empty
   */
  public record Cell(PeopleColumn column, String text, String more, String hint, String at) {

    static Cell of(PeopleColumn column, String text) {
      return new Cell(column, text, "", "", "");
    }
  }

  /**
   * One participant of the list.
   *
   * @param named whether they have a name
   * @param studyId the study's own id, or empty
   * @param phone the last two digits only
   * @param participation how they take part
   * @param consent what is missing of their consent, or empty
   * @param heard when they were last heard from, in words
   * @param next when their next prompt comes, in words, or empty
   * @param failure why the newest turn failed, or empty
   * @param brake why the newest turn sent no reply, or empty
   * @param takenOver until when staff reply instead of the coach, in words, or empty
   * @param flags how many flags are open, in words, or empty
   * @param line what came of their last daily prompts, if the list shows it
   * @param cells in the order of the columns
   */
  public record Row(
      String id,
      String name,
      boolean named,
      String studyId,
      String phone,
      Participation participation,
      boolean optedOut,
      String consent,
      String module,
      String heard,
      String next,
      boolean answering,
      String failure,
      String brake,
      String takenOver,
      String flags,
      List<String> tags,
      @Nullable HabitLine line,
      List<Cell> cells) {

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
   * @param consentVersion the version of the consent text that counts, or empty if the study asks
   *     nobody by text
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
      String consentVersion,
      List<CustomFields.Input> fields) {

    /** Returns whether the study asks for consent by text. */
    public boolean asksConsent() {
      return !consentVersion.isEmpty();
    }

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
   * The filters of the list, and what there is to choose from.
   *
   * @param set the filters that are set, by the name of their parameter
   * @param sorts the orders, by their parameter
   * @param fields the study's own fields, with the values sought
   */
  public record Filter(
      Map<String, String> set,
      Map<String, String> sorts,
      List<String> flows,
      List<Choice> subStates,
      List<String> languages,
      List<ChannelKind> channels,
      List<String> tags,
      List<CustomFields.Input> fields) {

    /** Returns the ways of taking part to choose from. */
    public List<Participation> participations() {
      return List.of(Participation.values());
    }

    /** Returns the states of consent to choose from. */
    public List<ConsentState> consents() {
      return List.of(ConsentState.values());
    }

    StudyFields studyFields() {
      return new StudyFields(fields.stream().map(CustomFields.Input::field).toList());
    }

    /** Returns the value of a filter, or an empty text if it is not set. */
    public String value(String name) {
      return set.getOrDefault(name, "");
    }

    /** Returns whether a filter has this value. */
    public boolean is(String name, String value) {
      return value(name).equals(value);
    }

    /** Returns whether any filter is set. */
    public boolean narrows() {
      return !set.isEmpty();
    }

    /** Returns how many filters besides the search words are set. */
    public int chosen() {
      return set.size() - (set.containsKey("q") ? 1 : 0);
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
    return listed.address();
  }

  /** Returns the filters that are set and that a saved view leaves out, such as "search words". */
  public String notSaved() {
    return filter.set().keySet().stream()
        .filter(set -> Listed.isPersonal(set, filter.studyFields()))
        .map(set ->
            switch (set) {
              case "q" -> "search words";
              case "study_id" -> "study id";
              default ->
                  filter.fields().stream()
                      .filter(input -> input.name().equals(set))
                      .map(input -> input.field().label())
                      .findFirst()
                      .orElse(set);
            })
        .collect(Collectors.joining(", "));
  }

  /** Returns the address of the first page. */
  public String first() {
    return listed.at("").address();
  }

  /** Returns whether this is not the first page. */
  public boolean later() {
    return !listed.cursor().isEmpty();
  }

  /** Returns how many participants match, such as "1,234 participants". */
  public String counted() {
    return String.format(
        Locale.ENGLISH, "%,d %s", total, total == 1 ? "participant" : "participants");
  }

  /** Returns how many participants match, in words. */
  public String matching() {
    return counted() + (filter.narrows() ? total == 1 ? " matches" : " match" : "");
  }

  /** Returns what the table shows and how it is sorted, for screen readers. */
  public String caption() {
    return "Participants, "
        + heads.stream()
            .filter(head -> head.sorted() != null)
            .map(
                head -> "sorted by " + head.title().toLowerCase(Locale.ROOT) + ", " + head.sorted())
            .findFirst()
            .orElse(
                listed.sort().isEmpty() ? "last enrolled first" : "sorted by a column not shown");
  }
}
