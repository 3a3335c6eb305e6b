package org.habitline.ops.access;

import io.micronaut.http.HttpRequest;
import io.micronaut.http.HttpResponse;
import io.micronaut.http.MediaType;
import io.micronaut.http.annotation.Body;
import io.micronaut.http.annotation.Consumes;
import io.micronaut.http.annotation.Controller;
import io.micronaut.http.annotation.Get;
import io.micronaut.http.annotation.Post;
import io.micronaut.http.annotation.Produces;
import io.micronaut.http.annotation.QueryValue;
import io.micronaut.security.annotation.Secured;
import io.micronaut.security.authentication.Authentication;
import io.micronaut.views.ModelAndView;
import io.swagger.v3.oas.annotations.Hidden;
import java.net.URI;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.habitline.staff.web.ApiProblem;
import org.habitline.staff.web.PageFrame;
import org.habitline.staff.web.PageFrames;
import org.habitline.staff.web.Times;
import org.jspecify.annotations.Nullable;

/** Serves the page on which admins invite people and change what they may do. */
@Hidden
@Controller("/access/people")
@Secured("admin")
@Produces(MediaType.TEXT_HTML)
public final class AccountsPageController {

  private static final int SHOWN = 50;

  private final AccountsController accounts;
  private final Access access;
  private final PageFrames frames;

  AccountsPageController(AccountsController accounts, Access access, PageFrames frames) {
    this.accounts = accounts;
    this.access = access;
    this.frames = frames;
  }

  /**
   * The page.
   *
   * @param aboutGrants whether anyone is mailed when safety is granted
   * @param linkFor whose link is shown, or empty
   * @param link shown only this once, or empty
   * @param complaint what is wrong with a change, or empty
   * @param older the cursor of the next page, or empty after the last
   */
  public record View(
      PageFrame frame,
      List<Row> people,
      String aboutGrants,
      String linkFor,
      String link,
      String complaint,
      Form form,
      String older) {

    /** Returns the roles to choose from. */
    public List<AccountRole> roles() {
      return List.of(AccountRole.values());
    }
  }

  /**
   * A person as the page shows them.
   *
   * @param keys the keys that end when they are no longer an active admin, with their roles
   */
  public record Row(
      String id,
      String name,
      String email,
      AccountRole role,
      boolean safety,
      AccountState state,
      int failures,
      String lastSignIn,
      List<String> keys) {

    public boolean is(AccountRole other) {
      return role == other;
    }

    public boolean isDisabled() {
      return state == AccountState.DISABLED;
    }

    public boolean isActive() {
      return state == AccountState.ACTIVE;
    }
  }

  /**
   * The invitation as it was filled in.
   *
   * @param field the field that the error is about, or empty
   */
  public record Form(
      String name, String email, String role, boolean safety, String field, String error) {

    private static final Form EMPTY = new Form("", "", AccountRole.VIEWER.word(), false, "", "");

    public boolean isWrong(String which) {
      return field.equals(which);
    }
  }

  @Get
  HttpResponse<?> page(Authentication by, @QueryValue @Nullable String cursor) {
    return shown(by, () -> HttpResponse.ok(page(by, cursor, "", "", "", Form.EMPTY)));
  }

  private ModelAndView<Map<String, Object>> page(
      Authentication by,
      @Nullable String cursor,
      String linkFor,
      String link,
      String complaint,
      Form form) {
    var page = accounts.page(cursor, SHOWN);
    var keys =
        access.keysEndingWith(page.accounts().stream().map(JdbcAccounts.Row::id).toList()).stream()
            .collect(
                Collectors.groupingBy(
                    key -> Objects.requireNonNull(key.accountId()),
                    Collectors.mapping(JdbcAccess.Key::words, Collectors.toList())));
    var view =
        new View(
            frames.frame("People", by, null),
            page.accounts().stream()
                .map(it -> row(it, keys.getOrDefault(it.id(), List.of())))
                .toList(),
            access.aboutGrants(),
            linkFor,
            link,
            complaint,
            form,
            page.next() == null ? "" : String.valueOf(page.next()));
    return new ModelAndView<>("accounts", Map.of("page", view));
  }

  private static Row row(JdbcAccounts.Row account, List<String> keys) {
    return new Row(
        account.id(),
        account.name(),
        account.email(),
        account.role(),
        account.safety(),
        account.state(),
        account.failures(),
        account.lastSignInAt() == null ? "" : Times.minutes(account.lastSignInAt(), ZoneOffset.UTC),
        keys);
  }

  private HttpResponse<?> shown(Authentication by, Supplier<HttpResponse<?>> work) {
    try {
      return work.get();
    } catch (ApiProblem problem) {
      return HttpResponse.status(problem.status())
          .body(page(by, null, "", "", problem.onPage(), Form.EMPTY));
    }
  }

  /** Invites a person and shows the link in the response, the only time it can be seen. */
  @Post
  @Consumes(MediaType.APPLICATION_FORM_URLENCODED)
  HttpResponse<?> invite(HttpRequest<?> http, Authentication by, @Body Map<String, String> form) {
    var safety = form.containsKey("safety");
    var wanted =
        new AccountsController.NewAccountRequest(
            form.get("name"), form.get("email"), form.get("role"), safety);
    try {
      return HttpResponse.ok(withLink(http, by, accounts.invited(by, wanted)));
    } catch (ApiProblem problem) {
      var said =
          new Form(
              form.getOrDefault("name", ""),
              form.getOrDefault("email", ""),
              Objects.requireNonNullElse(form.get("role"), AccountRole.VIEWER.word()),
              safety,
              problem.field().orElse("name"),
              problem.besideField());
      return HttpResponse.status(problem.status()).body(page(by, null, "", "", "", said));
    }
  }

  private ModelAndView<Map<String, Object>> withLink(
      HttpRequest<?> http, Authentication by, Accounts.Invited invited) {
    return page(by, null, invited.account().name(), accounts.link(http, invited), "", Form.EMPTY);
  }

  @Post("/{id}")
  @Consumes(MediaType.APPLICATION_FORM_URLENCODED)
  HttpResponse<?> change(Authentication by, String id, @Body Map<String, String> form) {
    // A form that changes the role has a box for safety; one that changes the state has none.
    var role = form.get("role");
    var change =
        new AccountsController.AccountChangeRequest(
            role, role == null ? null : form.containsKey("safety"), form.get("state"));
    return shown(
        by,
        () -> {
          accounts.changed(by, id, change);
          return HttpResponse.seeOther(URI.create("/access/people"));
        });
  }

  @Post("/{id}/link")
  @Consumes(MediaType.APPLICATION_FORM_URLENCODED)
  HttpResponse<?> renew(HttpRequest<?> http, Authentication by, String id) {
    return shown(by, () -> HttpResponse.ok(withLink(http, by, accounts.renewed(by, id))));
  }
}
