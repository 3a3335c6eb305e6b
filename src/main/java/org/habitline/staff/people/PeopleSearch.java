package org.habitline.staff.people;

import io.micronaut.http.HttpStatus;
import io.micronaut.security.authentication.Authentication;
import jakarta.inject.Singleton;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.habitline.flows.Flow;
import org.habitline.flows.FlowCatalog;
import org.habitline.messaging.ConsentGate;
import org.habitline.participants.ConsentState;
import org.habitline.participants.Participant;
import org.habitline.participants.ParticipantStatus;
import org.habitline.participants.Participants;
import org.habitline.participants.PhoneNumbers;
import org.habitline.participants.UnreadablePhoneNumber;
import org.habitline.staff.web.Actor;
import org.habitline.staff.web.ApiProblem;
import org.habitline.storage.Transactions;
import org.habitline.study.figures.Participation;
import org.jspecify.annotations.Nullable;

/**
 * Finds participants by name, id, study id, phone number, how they take part, status, flow, module,
 * opt-out and consent, for the page and the REST API.
 */
@Singleton
public final class PeopleSearch {

  private static final int LONGEST = 200;

  /**
   * Digits with the separators that people write between them; pages show a number as … and its
   * last two digits.
   */
  private static final Pattern DIGITS = Pattern.compile("[…+\\s()./-]*([0-9][\\s()./-]*){2,15}");

  /** The last digits of a phone number that everybody may see. */
  private static final int SHOWN_DIGITS = 4;

  private final JdbcPeople rows;
  private final Participants participants;
  private final PhoneNumbers phoneNumbers;
  private final FlowCatalog flows;
  private final ConsentGate consents;
  private final Transactions transactions;

  PeopleSearch(
      JdbcPeople rows,
      Participants participants,
      PhoneNumbers phoneNumbers,
      FlowCatalog flows,
      ConsentGate consents,
      Transactions transactions) {
    this.rows = rows;
    this.participants = participants;
    this.phoneNumbers = phoneNumbers;
    this.flows = flows;
    this.consents = consents;
    this.transactions = transactions;
  }

  /**
   * The filters as given; a {@code null} or blank filter matches all.
   *
   * @param q a part of the name or study id, the start of the id, a phone number or its last digits
   * @param studyId the whole study id
   */
  public record Wanted(
      @Nullable String q,
      @Nullable String participation,
      @Nullable String status,
      @Nullable String flow,
      @Nullable String subState,
      @Nullable String optedOut,
      @Nullable String consent,
      @Nullable String studyId) {

    static final Wanted ANYBODY = new Wanted(null, null, null, null, null, null, null, null);

    /**
     * Returns the filters of a request.
     *
     * @param given returns the value of a parameter, named as in the address of the list
     */
    public static Wanted of(Function<String, @Nullable String> given) {
      return new Wanted(
          given.apply("q"),
          given.apply("participation"),
          given.apply("status"),
          given.apply("flow"),
          given.apply("sub_state"),
          given.apply("opted_out"),
          given.apply("consent"),
          given.apply("study_id"));
    }
  }

  /**
   * Participants found.
   *
   * @param participation how each of them takes part, by id
   * @param next where the next page begins, or {@code null} after the last
   */
  record Found(
      List<Participant> participants,
      Map<String, Participation> participation,
      @Nullable Long next) {}

  /**
   * Returns a page of matching participants before a sequence number, newest first.
   *
   * @throws ApiProblem 400 for a filter that is not accepted
   */
  Found find(Wanted wanted, long before, int most) {
    var sought = sought(wanted);
    return transactions.read(() -> {
      var found = rows.newest(sought, before, most + 1);
      var page = found.subList(0, Math.min(most, found.size()));
      return new Found(
          participants.these(page.stream().map(JdbcPeople.Found::id).toList()),
          page.stream()
              .collect(Collectors.toMap(JdbcPeople.Found::id, JdbcPeople.Found::participation)),
          found.size() > most ? page.getLast().seq() : null);
    });
  }

  /**
   * Returns the ids of matching participants, newest first.
   *
   * @throws ApiProblem 400 for a filter that is not accepted
   */
  public List<String> ids(Wanted wanted, int most) {
    var sought = sought(wanted);
    return transactions.read(() ->
        rows.newest(sought, Long.MAX_VALUE, most).stream().map(JdbcPeople.Found::id).toList());
  }

  private JdbcPeople.Sought sought(Wanted wanted) {
    return new JdbcPeople.Sought(
        consents.version().orElse(""),
        participation(wanted.participation()),
        status(wanted.status()),
        flow(wanted.flow()),
        optedOut(wanted.optedOut()),
        consent(wanted.consent()),
        EnrolmentDesk.text("study_id", wanted.studyId(), LONGEST, false),
        subState(wanted.subState()),
        words(wanted.q()));
  }

  /**
   * Returns whether the search words may be a phone number or its last digits.
   *
   * @throws ApiProblem 403 if they are more digits than the caller may see: by trying, one could
   *     find the rest
   */
  public boolean asksForNumber(Authentication by, @Nullable String q) {
    var said = given(q);
    if (said == null || (digits(said).isEmpty() && phone(said).isEmpty())) {
      return false;
    }
    // A number may be written with the digits of any script.
    var digits = said.codePoints().filter(Character::isDigit).count();
    if (!Actor.seesNumbers(by) && (digits > SHOWN_DIGITS || phone(said).isPresent())) {
      throw new ApiProblem(
          HttpStatus.FORBIDDEN,
          "Viewers can search for the last four digits of a phone number, not for more.");
    }
    return true;
  }

  /** Returns the modules of all flows, each once. */
  List<String> subStates() {
    return flows.all().stream()
        .flatMap(flow -> flow.modules().keySet().stream())
        .distinct()
        .toList();
  }

  private static @Nullable String given(@Nullable String said) {
    return said == null || said.isBlank() ? null : said.strip();
  }

  private static @Nullable Participation participation(@Nullable String said) {
    var words = Arrays.stream(Participation.values()).map(Participation::word).toList();
    var wanted = given(said);
    return wanted == null
        ? null
        : Participation.of(oneOf("participation", wanted.toLowerCase(Locale.ROOT), words));
  }

  private static @Nullable String status(@Nullable String said) {
    var words = Arrays.stream(ParticipantStatus.values()).map(ParticipantStatus::word).toList();
    var wanted = given(said);
    return wanted == null ? null : oneOf("status", wanted.toLowerCase(Locale.ROOT), words);
  }

  private static @Nullable String consent(@Nullable String said) {
    var words = Arrays.stream(ConsentState.values()).map(ConsentState::word).toList();
    var wanted = given(said);
    return wanted == null ? null : oneOf("consent", wanted.toLowerCase(Locale.ROOT), words);
  }

  private @Nullable String flow(@Nullable String said) {
    var wanted = given(said);
    return wanted == null
        ? null
        : oneOf("flow", wanted, flows.all().stream().map(Flow::id).toList());
  }

  private static @Nullable Boolean optedOut(@Nullable String said) {
    var wanted = given(said);
    return wanted == null
        ? null
        : Boolean.valueOf(oneOf("opted_out", wanted, List.of("true", "false")));
  }

  private JdbcPeople.@Nullable SubState subState(@Nullable String said) {
    var wanted = given(said);
    return wanted == null
        ? null
        : new JdbcPeople.SubState(
            oneOf("sub_state", wanted, subStates()),
            flows.all().stream()
                .map(flow ->
                    new JdbcPeople.SubState.OfFlow(
                        flow.id(), List.copyOf(flow.modules().keySet()), flow.initialState()))
                .toList());
  }

  private static String oneOf(String parameter, String said, List<String> accepted) {
    if (!accepted.contains(said)) {
      throw ApiProblem.bad(
          parameter
              + ": unknown; expected one of "
              + accepted.stream().collect(Collectors.joining(", "))
              + ".");
    }
    return said;
  }

  private JdbcPeople.@Nullable Words words(@Nullable String said) {
    var text = EnrolmentDesk.text("q", said, LONGEST);
    return text == null
        ? null
        : new JdbcPeople.Words(text, phone(text).orElse(null), digits(text).orElse(null));
  }

  private Optional<String> phone(String text) {
    try {
      return Optional.of(phoneNumbers.read(text).number().e164());
    } catch (UnreadablePhoneNumber e) {
      return Optional.empty();
    }
  }

  private static Optional<String> digits(String text) {
    return DIGITS.matcher(text).matches()
        ? Optional.of(text.replaceAll("[^0-9]", ""))
        : Optional.empty();
  }
}
