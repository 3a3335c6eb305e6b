package org.habitline.ops.access;

import io.micronaut.core.annotation.Introspected;
import io.micronaut.http.HttpResponse;
import io.micronaut.http.annotation.Body;
import io.micronaut.http.annotation.Controller;
import io.micronaut.http.annotation.Delete;
import io.micronaut.http.annotation.Get;
import io.micronaut.http.annotation.Post;
import io.micronaut.http.annotation.QueryValue;
import io.micronaut.security.annotation.Secured;
import io.micronaut.security.authentication.Authentication;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.media.Schema;
import io.swagger.v3.oas.annotations.responses.ApiResponse;
import io.swagger.v3.oas.annotations.tags.Tag;
import jakarta.inject.Named;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.time.format.DateTimeParseException;
import java.util.List;
import org.habitline.messaging.inbox.PlainText;
import org.habitline.staff.web.ApiProblem;
import org.habitline.staff.web.Paging;
import org.habitline.staff.web.Reply;
import org.jspecify.annotations.Nullable;

/** Endpoints that create, list and revoke API keys. */
@Controller("/keys")
@Secured("admin")
@Tag(name = "Keys")
public final class KeysController {

  private static final int LONGEST_NAME = 200;

  private static final Duration LONGEST_LIFE = Duration.ofDays(3660);
  static final String NEVER = "never";
  private static final String EXPIRY =
      "expires_on: expected a day from today on and at most ten years ahead, such as 2027-03-31,"
          + " or never.";

  private final Access access;
  private final Clock clock;

  KeysController(Access access, @Named("system") Clock clock) {
    this.access = access;
    this.clock = clock;
  }

  @Introspected
  record NewKeyRequest(
      @Nullable @Schema(description = "The purpose of the key; the audit log identifies keys by it")
          String name,
      @Nullable
          @Schema(
              type = "string",
              allowableValues = {"viewer", "researcher", "staff", "safety", "admin", "metrics"},
              description =
                  "staff includes researcher, and admin includes staff; metrics can only read"
                      + " /prometheus")
          String role,
      @Nullable
          @Schema(
              description =
                  "Only with the role researcher: the key sees no names, phone numbers or texts; it"
                      + " can use the operations whose x-role is deidentified, and exports of the"
                      + " scope deidentified only")
          Boolean deidentified,
      @Nullable
          @Schema(
              description =
                  "Who is responsible for the key; without it, the name of the person who creates it",
              maxLength = 200)
          String owner,
      @Nullable
          @Schema(
              type = "string",
              pattern = "^(\\d{4}-\\d{2}-\\d{2}|never)$",
              example = "2027-03-31",
              description =
                  "The last day on which the key works, in UTC, or never; without it, a year from"
                      + " today")
          String expiresOn) {}

  /** A key without its secret. */
  @Introspected
  public record KeyView(
      String id,
      String name,
      String role,
      @Schema(description = "Whether the key is limited to de-identified data")
          boolean deidentified,
      @Schema(description = "Who answers for the key; a note") String owner,
      @Nullable
          @Schema(
              description =
                  "The account whose admin made the key, or made the key with which it was made;"
                      + " the key is revoked when this account is no longer an active admin."
                      + " Absent for keys made with HABITLINE_ADMIN_KEY or a login link")
          String accountId,
      Instant createdAt,
      @Nullable @Schema(description = "When it stops working; absent if never") Instant expiresAt,
      @Nullable @Schema(description = "When it was last used, to the minute") Instant lastUsedAt,
      @Nullable Instant revokedAt) {}

  @Post
  @Operation(
      operationId = "createKey",
      summary = "Creates a key; the key itself is shown only once",
      description =
          "A key that is made with an account, or with a key of that account, ends for good when"
              + " the account is no longer an active admin.")
  @ApiResponse(responseCode = "201", description = "Created", useReturnTypeSchema = true)
  @ApiResponse(
      responseCode = "400",
      description = "A field is invalid; the message says what is accepted")
  @ApiResponse(
      responseCode = "409",
      description = "An account, or another key that is not revoked, has this name")
  HttpResponse<Reply<Access.NewKey>> create(Authentication by, @Body NewKeyRequest request) {
    return HttpResponse.created(Reply.ok(created(by, request)));
  }

  /** Creates the key; shared by the REST endpoint and the page. */
  Access.NewKey created(Authentication by, NewKeyRequest request) {
    var name = name(request.name());
    var role = request.role() == null ? "" : request.role();
    if (KeyKind.asked(role, false).isEmpty()) {
      throw ApiProblem.bad("role: expected one of " + KeyKind.words() + ".");
    }
    var kind =
        KeyKind.asked(role, Boolean.TRUE.equals(request.deidentified()))
            .orElseThrow(() ->
                ApiProblem.bad(
                    "deidentified: only a key with the role researcher can be limited to"
                        + " de-identified data."));
    return access
        .createKey(
            SessionTokens.who(by),
            new Access.Wanted(name, kind, owner(by, request.owner()), expiry(request.expiresOn())))
        .orElseThrow(() ->
            ApiProblem.conflict(
                "name: already used by another key or reserved; the audit log identifies keys by"
                    + " name."));
  }

  /**
   * Returns the name of a key or person without blanks around it.
   *
   * @throws ApiProblem 400 if it is none
   */
  static String name(@Nullable String said) {
    return name("name", said);
  }

  private static String name(String field, @Nullable String said) {
    var name = said == null ? "" : said.strip();
    if (name.isEmpty()
        || name.length() > LONGEST_NAME
        || name.codePoints().anyMatch(KeysController::unprintable)) {
      throw ApiProblem.bad(field + ": expected 1 to 200 characters.");
    }
    if (PlainText.steersDirection(name)) {
      throw ApiProblem.bad(
          field
              + ": contains invisible characters that change the writing direction, such as U+202E; remove"
              + " them.");
    }
    return name;
  }

  private static String owner(Authentication by, @Nullable String said) {
    return said == null || said.isBlank() ? by.getName() : name("owner", said);
  }

  /** Returns the last day of a new key for which no other is chosen. */
  LocalDate usualLastDay() {
    return LocalDate.ofInstant(clock.instant(), ZoneOffset.UTC).plusYears(1);
  }

  /** Returns the end of the last day, when a key stops working, or {@code null} for never. */
  private @Nullable Instant expiry(@Nullable String said) {
    if (NEVER.equals(said)) {
      return null;
    }
    try {
      var day = said == null || said.isBlank() ? usualLastDay() : LocalDate.parse(said.strip());
      var end = day.plusDays(1).atStartOfDay(ZoneOffset.UTC).toInstant();
      if (end.isAfter(clock.instant()) && end.isBefore(clock.instant().plus(LONGEST_LIFE))) {
        return end;
      }
    } catch (DateTimeParseException e) {
      throw ApiProblem.bad(EXPIRY);
    }
    throw ApiProblem.bad(EXPIRY);
  }

  private static boolean unprintable(int c) {
    var type = Character.getType(c);
    return type == Character.CONTROL || type == Character.SURROGATE;
  }

  @Get
  @Operation(
      operationId = "listKeys",
      summary = "Lists keys, newest first, including revoked ones, without the keys themselves")
  @ApiResponse(
      responseCode = "200",
      description = "A page of results; next_cursor is absent on the last page")
  @ApiResponse(responseCode = "400", description = "The limit or the cursor is invalid")
  Reply<List<KeyView>> list(
      @QueryValue @Nullable Integer limit, @QueryValue @Nullable String cursor) {
    var page = page(cursor, Paging.limit(limit));
    return Reply.page(page.keys(), page.next());
  }

  /**
   * One page of keys.
   *
   * @param next where the next page starts, or {@code null} on the last page
   */
  record Page(List<KeyView> keys, @Nullable Long next) {}

  Page page(@Nullable String cursor, int most) {
    var found = access.keys(Paging.before(cursor), most + 1);
    var page = found.subList(0, Math.min(most, found.size()));
    return new Page(
        page.stream().map(KeysController::view).toList(),
        found.size() > most ? page.getLast().seq() : null);
  }

  private static KeyView view(JdbcAccess.Key key) {
    var kind = KeyKind.of(key.role()).orElseThrow();
    return new KeyView(
        key.id(),
        key.name(),
        kind.role(),
        kind == KeyKind.DEIDENTIFIED,
        key.owner(),
        key.accountId(),
        key.createdAt(),
        key.expiresAt(),
        key.lastUsedAt(),
        key.revokedAt());
  }

  @Delete("/{id}")
  @Operation(
      operationId = "revokeKey",
      summary = "Revokes a key and every session opened with it, at once")
  @ApiResponse(responseCode = "200", description = "Revoked")
  @ApiResponse(
      responseCode = "404",
      description = "There is no key with this id, or it is already revoked")
  Reply<String> revoke(Authentication by, String id) {
    if (!access.revoke(SessionTokens.who(by), id)) {
      throw ApiProblem.notFound("There is no such key, or it was already revoked.");
    }
    return Reply.ok(id);
  }
}
