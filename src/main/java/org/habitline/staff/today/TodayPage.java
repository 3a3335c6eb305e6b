package org.habitline.staff.today;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.habitline.staff.safety.IncidentRow;
import org.habitline.staff.web.ApiProblem;
import org.habitline.staff.web.PageFrame;
import org.habitline.staff.web.Times;
import org.jspecify.annotations.Nullable;

/**
 * The page Today: what needs attention now.
 *
 * @param now study time in UTC, formatted for people
 * @param whose whose rows are shown
 * @param urgent what keeps a crisis from reaching anyone; it outranks everything else
 * @param safety incidents that are not released
 * @param work the lists of what staff must do that have entries
 * @param next the daily prompts that are due next
 * @param counts figures of the day
 * @param unclaimed texts that staff have neither matched nor dismissed, newest first
 * @param moreUnclaimed whether there are more of them
 * @param restored the restored backup about which nobody has decided
 * @param complaint why the last form was refused, or empty
 */
public record TodayPage(
    PageFrame frame,
    String now,
    Whose whose,
    List<ServiceHealth.Sign> urgent,
    Safety safety,
    List<Listed> work,
    Listed next,
    List<Count> counts,
    List<ServiceHealth.Sign> signs,
    List<Stranger> unclaimed,
    boolean moreUnclaimed,
    Optional<Restored> restored,
    String complaint) {

  /** A restored backup about which nobody has decided. */
  public record Restored(String madeAt, long texts, long messages, long wakeups) {}

  /** The lists of what staff must do, in the order of the page. */
  static final List<Section> WORK =
      List.of(
          Section.WAITING,
          Section.FLAGGED,
          Section.FAILED,
          Section.UNDELIVERED,
          Section.BLOCKED,
          Section.BUDGETS,
          Section.STUCK,
          Section.MISSED);

  /** Returns whether nothing needs staff or an operator. */
  public boolean quiet() {
    return urgent.isEmpty()
        && safety.isEmpty()
        && work.isEmpty()
        && unclaimed.isEmpty()
        && signs.stream().noneMatch(ServiceHealth.Sign::wrong);
  }

  /** Returns whether every health check is fine. */
  public boolean allFine() {
    return urgent.isEmpty() && signs.stream().allMatch(ServiceHealth.Sign::fine);
  }

  /** Returns what to say if no row is of the chosen owner, else an empty text. */
  public String noneOfThem() {
    return work.isEmpty() && unclaimed.isEmpty() ? whose.none() : "";
  }

  /** Whose rows the page shows. Safety incidents are always shown. */
  public enum Whose {
    ALL("", "All", ""),
    ME("me", "Mine", "You have taken no rows."),
    NONE("none", "Unowned", "No unowned rows.");

    private final String word;
    private final String title;
    private final String none;

    Whose(String word, String title, String none) {
      this.word = word;
      this.title = title;
      this.none = none;
    }

    /** Returns the value of the query parameter {@code owner}. */
    public String word() {
      return word;
    }

    public String title() {
      return title;
    }

    String none() {
      return none;
    }

    /** Returns the address of a page that shows only these rows. */
    public String at(String path) {
      return word.isEmpty() ? path : path + "?owner=" + word;
    }

    /**
     * Returns what the parameter {@code owner} stands for.
     *
     * @throws ApiProblem 400 if it is unknown
     */
    static Whose of(@Nullable String owner) {
      return Stream.of(values())
          .filter(it -> it.word.equals(owner == null ? "" : owner))
          .findFirst()
          .orElseThrow(() -> ApiProblem.bad("owner: unknown; expected me or none."));
    }

    /** Returns whether a row with this owner is shown to the reader. */
    boolean shows(WorkOwners.@Nullable Owner owner, String reader) {
      return switch (this) {
        case ALL -> true;
        case ME -> owner != null && owner.name().equals(reader);
        case NONE -> owner == null;
      };
    }
  }

  /**
   * A page with rows of Today, to which the forms of its rows return.
   *
   * @param list the list whose own page it is, or {@code null} for Today itself
   * @param whose whose rows it shows
   */
  public record Place(@Nullable Section list, Whose whose) {

    /**
     * Returns what the parameters of the address of a form stand for.
     *
     * @throws ApiProblem 400 if one is unknown
     */
    static Place of(@Nullable String list, @Nullable String owner) {
      var section =
          list == null
              ? null
              : Section.of(list)
                  .orElseThrow(() -> ApiProblem.bad("list: unknown; expected a list of Today."));
      return new Place(section, Whose.of(owner));
    }

    String address() {
      return whose.at(list == null ? "/" : "/today/" + list.word());
    }

    /** Returns the address of a form that returns here. */
    public String from(String form) {
      var parameters =
          Stream.of(
                  whose.word().isEmpty() ? "" : "owner=" + whose.word(),
                  list == null ? "" : "list=" + list.word())
              .filter(parameter -> !parameter.isEmpty())
              .collect(Collectors.joining("&"));
      return parameters.isEmpty() ? form : form + (form.indexOf('?') < 0 ? "?" : "&") + parameters;
    }
  }

  /** Returns the place that the forms of this page return to. */
  public Place place() {
    return new Place(null, whose);
  }

  /** Returns the number of unmatched texts shown, with a plus sign if there are more. */
  public String strangers() {
    return unclaimed.size() + (moreUnclaimed ? "+" : "");
  }

  /**
   * Safety incidents that are not released.
   *
   * @param ages how many are about participants who may be too young
   * @param rows the incidents; empty for staff who may not open them
   */
  public record Safety(int crises, int flags, int concerns, int ages, List<IncidentRow> rows) {

    public boolean isEmpty() {
      return crises + flags + concerns + ages == 0;
    }

    /** Returns how many there are, in words. */
    public String says() {
      return Stream.of(
              counted(crises, "crisis", "crises"),
              counted(flags, "urgent flag", "urgent flags"),
              counted(concerns, "concern", "concerns"),
              counted(ages, "age check", "age checks"))
          .filter(words -> !words.isEmpty())
          .collect(Collectors.joining(", "));
    }

    private static String counted(int number, String one, String many) {
      return number == 0 ? "" : number + " " + (number == 1 ? one : many);
    }
  }

  /**
   * A count that links to what it counts.
   *
   * @param bad whether the count should be zero
   */
  public record Count(String what, String number, String address, boolean bad) {

    boolean isZero() {
      return number.equals("0");
    }

    /** Returns whether daily prompts are counted. */
    boolean ofPrompts() {
      return Section.of(address.substring(address.lastIndexOf('/') + 1))
          .filter(Section::ofPrompts)
          .isPresent();
    }
  }

  /** The lists; each has its own address. */
  public enum Section {
    WAITING(
        "Waiting for a reply",
        "No one is waiting for a reply. Anyone waiting will appear here, longest wait first."),
    FLAGGED(
        "Flagged by the coach",
        "No flags. The coach flags what staff should see, such as an adverse event or a request for a person."),
    FAILED(
        "Failed turns",
        "No turns failed in the last seven days. Failed turns appear here with the reason."),
    UNDELIVERED(
        "Not delivered", "Every message from the last seven days was delivered or is on its way."),
    BLOCKED(
        "Blocked by Twilio",
        "No numbers are blocked. People who ask for messages again while Twilio still blocks their number appear here."),
    STUCK(
        "Stuck",
        "No one is stuck. Anyone who stays silent after the nudge or for several daily prompts, stays in the first module, or has no daily prompt scheduled appears here."),
    DUE(
        "Daily prompts due",
        "No daily prompts are due in the next 24 hours. The coach schedules one when a participant chooses a time."),
    MISSED("Daily prompts missed", "No daily prompts were missed in the last 24 hours."),
    BUDGETS(
        "Budgets", "No participant used more than 80 % of a day's budget in the last 24 hours."),
    SENT("Daily prompts sent", "No daily prompts were sent in the last 24 hours."),
    ANSWERED(
        "Daily prompts answered",
        "No daily prompts from the last 24 hours have been answered yet.");

    private final String title;
    private final String empty;

    Section(String title, String empty) {
      this.title = title;
      this.empty = empty;
    }

    public String title() {
      return title;
    }

    /** Returns the text to show when the list is empty. */
    public String empty() {
      return empty;
    }

    /** Returns which time the list covers, or an empty text if it covers what is so now. */
    public String period() {
      return switch (this) {
        case SENT, ANSWERED, MISSED, BUDGETS -> "In the last 24 hours";
        case DUE -> "In the next 24 hours";
        case FAILED, UNDELIVERED -> "In the last 7 days";
        case WAITING, FLAGGED, BLOCKED, STUCK -> "";
      };
    }

    /** Returns whether daily prompts are listed. */
    boolean ofPrompts() {
      return this == DUE || this == MISSED || this == SENT || this == ANSWERED;
    }

    /** Returns the name in addresses. */
    public String word() {
      return name().toLowerCase(Locale.ROOT);
    }

    static Optional<Section> of(String word) {
      return List.of(values()).stream().filter(it -> it.word().equals(word)).findFirst();
    }
  }

  /**
   * A list.
   *
   * @param more whether there are more entries than shown
   * @param whose whose entries are shown
   */
  public record Listed(Section section, List<Entry> entries, boolean more, Whose whose) {

    /** Returns the number of entries shown, with a plus sign if there are more. */
    public String number() {
      return entries.size() + (more ? "+" : "");
    }

    /** Returns what to say if there is no entry. */
    public String none() {
      return whose == Whose.ALL ? section.empty() : whose.none();
    }
  }

  /**
   * What staff can do about an entry.
   *
   * @param words what the button says
   * @param post whether the button does it; otherwise it opens a page
   * @param warning what the reader must accept before the button does it, or empty
   */
  public record Action(String words, String address, boolean post, String warning) {

    static Action open(String words, String address) {
      return new Action(words, address, false, "");
    }

    static Action post(String words, String address) {
      return new Action(words, address, true, "");
    }

    static Action confirm(String words, String address, String warning) {
      return new Action(words, address, true, warning);
    }
  }

  /**
   * The staff member who is on an entry.
   *
   * @param initials the first letters of their name
   * @param since how long they have been on it
   * @param mine whether the reader is on it
   */
  public record Owner(String name, String initials, String since, boolean mine) {

    private static final Pattern WORDS = Pattern.compile("[^\\p{L}\\p{N}]+");

    /** Returns an owner as the reader sees them, or {@code null} if nobody is on the entry. */
    static @Nullable Owner of(WorkOwners.@Nullable Owner owner, String reader, Instant now) {
      return owner == null
          ? null
          : new Owner(
              owner.name(),
              initials(owner.name()),
              Times.inOneUnit(Duration.between(owner.takenAt(), now)),
              owner.name().equals(reader));
    }

    private static String initials(String name) {
      return WORDS
          .splitAsStream(name)
          .filter(word -> !word.isEmpty())
          .limit(2)
          .map(word -> Character.toString(word.codePointAt(0)))
          .collect(Collectors.joining())
          .toUpperCase(Locale.ROOT);
    }
  }

  /**
   * One entry of a list.
   *
   * @param participantId whom it is about
   * @param id id of the element on the page
   * @param address the address it links to, or empty
   * @param studyId the study's own id, or empty
   * @param phone the last two digits only
   * @param at RFC 3339
   * @param when {@code at}, formatted for people
   * @param time the time of day of {@code at}, in UTC
   * @param since how long ago it began, or empty if it is still to come
   * @param late whether it has lasted for a day or longer
   * @param what what happened
   * @param why the reason in plain words, or empty
   * @param quote the first words of the message that it is about, or empty
   * @param bad whether the reason is a failure
   * @param row its key, under which staff take it, or empty if nobody can
   * @param owner the staff member who is on it, or {@code null}
   * @param action what staff can do about it, or {@code null} if the entry has no page
   */
  public record Entry(
      String participantId,
      String id,
      String address,
      String name,
      String studyId,
      String phone,
      String at,
      String when,
      String time,
      String since,
      boolean late,
      String what,
      String why,
      String quote,
      boolean bad,
      String row,
      @Nullable Owner owner,
      @Nullable Action action) {}

  /**
   * A text from a sender who is not enrolled.
   *
   * @param sender the whole number, or the provider's id of the sender
   * @param since how long ago it came
   * @param enrollable whether the provider gave the sender's number
   */
  public record Stranger(
      long seq,
      String sender,
      String channel,
      String text,
      String at,
      String since,
      boolean enrollable,
      String row,
      @Nullable Owner owner) {}
}
