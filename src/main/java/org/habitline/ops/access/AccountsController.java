package org.habitline.ops.access;

import io.micronaut.context.annotation.Value;
import io.micronaut.core.annotation.Introspected;
import io.micronaut.http.HttpHeaders;
import io.micronaut.http.HttpRequest;
import io.micronaut.http.HttpResponse;
import io.micronaut.http.annotation.Body;
import io.micronaut.http.annotation.Controller;
import io.micronaut.http.annotation.Get;
import io.micronaut.http.annotation.Post;
import io.micronaut.http.annotation.Put;
import io.micronaut.http.annotation.QueryValue;
import io.micronaut.security.annotation.Secured;
import io.micronaut.security.authentication.Authentication;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.media.Schema;
import io.swagger.v3.oas.annotations.responses.ApiResponse;
import io.swagger.v3.oas.annotations.tags.Tag;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.regex.Pattern;
import org.habitline.staff.web.ApiProblem;
import org.habitline.staff.web.Paging;
import org.habitline.staff.web.Reply;
import org.jspecify.annotations.Nullable;

/** Endpoints that invite people of the staff and change what they may do. */
@Controller("/accounts")
@Secured("admin")
@Tag(name = "Accounts")
public final class AccountsController {

  private static final int LONGEST_EMAIL = 254;
  private static final Pattern EMAIL =
      Pattern.compile(
          "^[^\\s\\p{Cntrl}@<>,;]++@[^\\s\\p{Cntrl}@<>,;][^\\s\\p{Cntrl}@<>,;.]*+\\.[^\\s\\p{Cntrl}@<>,;]++");

  private final Accounts accounts;
  private final String publicUrl;

  AccountsController(Accounts accounts, @Value("${habitline.public-url:}") String publicUrl) {
    this.accounts = accounts;
    this.publicUrl = publicUrl.replaceFirst("/$", "");
  }

  @Introspected
  @Schema(name = "NewAccount")
  record NewAccountRequest(
      @Nullable
          @Schema(description = "Their name; the audit log and other staff see it", maxLength = 200)
          String name,
      @Nullable @Schema(description = "What they sign in with", example = "mara@study.example")
          String email,
      @Nullable
          @Schema(
              type = "string",
              allowableValues = {"deidentified", "viewer", "researcher", "staff", "admin"})
          String role,
      @Nullable
          @Schema(description = "Whether they also read, acknowledge and release safety incidents")
          Boolean safety) {}

  @Introspected
  @Schema(name = "AccountChange", description = "A field that is left out stays as it is")
  record AccountChangeRequest(
      @Nullable
          @Schema(
              type = "string",
              allowableValues = {"deidentified", "viewer", "researcher", "staff", "admin"})
          String role,
      @Nullable Boolean safety,
      @Nullable
          @Schema(
              type = "string",
              allowableValues = {"active", "disabled"})
          String state) {}

  /** An account without its secrets. */
  @Introspected
  @Schema(name = "Account")
  public record AccountView(
      String id,
      String name,
      String email,
      String role,
      boolean safety,
      @Schema(
              type = "string",
              allowableValues = {"invited", "active", "disabled"})
          String state,
      @Schema(description = "Failed sign-ins since the last one that succeeded") int failedSignIns,
      Instant createdAt,
      String createdBy,
      @Nullable Instant lastSignInAt) {

    static AccountView of(JdbcAccounts.Row account) {
      return new AccountView(
          account.id(),
          account.name(),
          account.email(),
          account.role().word(),
          account.safety(),
          account.state().word(),
          account.failures(),
          account.createdAt(),
          account.createdBy(),
          account.lastSignInAt());
    }
  }

  /** An account with its link. */
  @Introspected
  @Schema(name = "Invitation")
  record InvitationView(
      AccountView account,
      @Schema(description = "Shown only this once; works once, within 7 days") String link) {}

  @Get
  @Operation(operationId = "listAccounts", summary = "Lists accounts, newest first")
  @ApiResponse(
      responseCode = "200",
      description = "A page of results; next_cursor is absent on the last page")
  @ApiResponse(responseCode = "400", description = "The limit or the cursor is invalid")
  Reply<List<AccountView>> list(
      @QueryValue @Nullable Integer limit, @QueryValue @Nullable String cursor) {
    var page = page(cursor, Paging.limit(limit));
    return Reply.page(page.accounts().stream().map(AccountView::of).toList(), page.next());
  }

  /**
   * One page of accounts.
   *
   * @param next where the next page starts, or {@code null} on the last page
   */
  record Page(List<JdbcAccounts.Row> accounts, @Nullable Long next) {}

  /** Returns a page of accounts; shared by the REST endpoint and the page. */
  Page page(@Nullable String cursor, int most) {
    var found = accounts.list(Paging.before(cursor), most + 1);
    var page = found.subList(0, Math.min(most, found.size()));
    return new Page(page, found.size() > most ? page.getLast().seq() : null);
  }

  @Post
  @Operation(
      operationId = "inviteAccount",
      summary = "Invites a person of the staff",
      description =
          "The answer has a link with which they set a password and a second factor. Send it to"
              + " them privately.")
  @ApiResponse(responseCode = "201", description = "Invited", useReturnTypeSchema = true)
  @ApiResponse(responseCode = "400", description = "The name, e-mail address or role is invalid")
  @ApiResponse(
      responseCode = "409",
      description = "The name or the e-mail address belongs to another account or key")
  HttpResponse<Reply<InvitationView>> invite(
      HttpRequest<?> http, Authentication by, @Body NewAccountRequest request) {
    return HttpResponse.created(Reply.ok(view(http, invited(by, request))));
  }

  private InvitationView view(HttpRequest<?> http, Accounts.Invited invited) {
    return new InvitationView(AccountView.of(invited.account()), link(http, invited));
  }

  /** Returns the link of an invitation; browsers do not send what follows its number sign. */
  String link(HttpRequest<?> http, Accounts.Invited invited) {
    var base =
        publicUrl.isBlank()
            ? "http://"
                + Objects.requireNonNullElse(http.getHeaders().get(HttpHeaders.HOST), "localhost")
            : publicUrl;
    return base + "/invitation#token=" + invited.token();
  }

  /** Invites; shared by the REST endpoint and the page. */
  Accounts.Invited invited(Authentication by, NewAccountRequest request) {
    var name = KeysController.name(request.name());
    var email = Objects.requireNonNullElse(request.email(), "").strip();
    if (email.length() > LONGEST_EMAIL || !EMAIL.matcher(email).matches()) {
      throw ApiProblem.bad("email: expected an e-mail address, such as mara@study.example.");
    }
    var role =
        role(request.role())
            .orElseThrow(
                () -> ApiProblem.bad("role: expected one of " + AccountRole.words() + "."));
    return accounts
        .invite(
            SessionTokens.who(by),
            name,
            email,
            Accounts.Rights.of(role, Boolean.TRUE.equals(request.safety())))
        .orElseThrow(() ->
            ApiProblem.conflict(
                "name: this name or e-mail address is already used by an account or a key, or"
                    + " reserved."));
  }

  private static Optional<AccountRole> role(@Nullable String said) {
    var role = AccountRole.of(Objects.requireNonNullElse(said, ""));
    if (said != null && role.isEmpty()) {
      throw ApiProblem.bad("role: expected one of " + AccountRole.words() + ".");
    }
    return role;
  }

  @Put("/{id}")
  @Operation(
      operationId = "changeAccount",
      summary = "Changes the role or the state of an account",
      description =
          "A change ends the account's sessions within 15 seconds. An account that is disabled, or"
              + " is no longer an admin, takes the keys along whose account_id it is, and their"
              + " sessions, for good.")
  @ApiResponse(responseCode = "200", description = "The account as it is now")
  @ApiResponse(responseCode = "400", description = "The role, safety or the state is invalid")
  @ApiResponse(responseCode = "404", description = "No account has this id")
  @ApiResponse(
      responseCode = "409",
      description = "It is the last admin, or it cannot become active without a new link")
  Reply<AccountView> change(Authentication by, String id, @Body AccountChangeRequest request) {
    return Reply.ok(AccountView.of(changed(by, id, request)));
  }

  /** Changes an account; shared by the REST endpoint and the page. */
  JdbcAccounts.Row changed(Authentication by, String id, AccountChangeRequest request) {
    return accounts.change(
        SessionTokens.who(by),
        id,
        new Accounts.Change(
            role(request.role()).orElse(null), request.safety(), state(request.state())));
  }

  private static @Nullable AccountState state(@Nullable String said) {
    return switch (said) {
      case null -> null;
      case "active" -> AccountState.ACTIVE;
      case "disabled" -> AccountState.DISABLED;
      default -> throw ApiProblem.bad("state: expected one of active, disabled.");
    };
  }

  @Post("/{id}/invitation")
  @Operation(
      operationId = "renewInvitation",
      summary = "Makes a new link for an account",
      description =
          "Its password, second factor and recovery codes stop working at once, and its sessions"
              + " end. Use it when someone lost their phone or forgot their password.")
  @ApiResponse(responseCode = "201", description = "The new link", useReturnTypeSchema = true)
  @ApiResponse(responseCode = "404", description = "No account has this id")
  HttpResponse<Reply<InvitationView>> renew(HttpRequest<?> http, Authentication by, String id) {
    return HttpResponse.created(Reply.ok(view(http, renewed(by, id))));
  }

  /** Makes a new link; shared by the REST endpoint and the page. */
  Accounts.Invited renewed(Authentication by, String id) {
    return accounts.renew(SessionTokens.who(by), id);
  }
}
