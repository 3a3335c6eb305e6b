package org.habitline.ops.access;

import io.micronaut.core.annotation.Introspected;
import io.micronaut.http.annotation.Controller;
import io.micronaut.http.annotation.Delete;
import io.micronaut.http.annotation.Get;
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
import org.habitline.staff.web.ApiProblem;
import org.habitline.staff.web.Paging;
import org.habitline.staff.web.Reply;
import org.jspecify.annotations.Nullable;

/** Endpoints that list and end the sessions of the pages. */
@Controller("/sessions")
@Secured({"deidentified", "viewer"})
@Tag(name = "Sessions")
public final class SessionsController {

  private final Access access;

  SessionsController(Access access) {
    this.access = access;
  }

  /** A session without its secret. */
  @Introspected
  @Schema(name = "SessionView")
  public record SessionView(
      long seq,
      @Schema(
              description =
                  "The name of the account or key that opened it, or the name that the person entered")
          String name,
      String role,
      @Nullable @Schema(description = "The address it was opened from; for IPv6, the /64 network")
          String address,
      Instant createdAt,
      @Schema(description = "When a page or form was last used in this session, to the minute")
          Instant lastUsedAt,
      @Schema(
              description =
                  "The latest time at which it ends; it ends earlier if it is not used (HABITLINE_SESSION_IDLE)")
          Instant expiresAt,
      @Schema(description = "Whether this request belongs to this session") boolean current) {}

  @Get
  @Operation(
      operationId = "listSessions",
      summary = "Lists who is signed in on the pages, newest first",
      description = "An admin sees all sessions; others see those of their own key or account.")
  @ApiResponse(
      responseCode = "200",
      description = "A page of results; next_cursor is absent on the last page")
  @ApiResponse(responseCode = "400", description = "The limit or the cursor is invalid")
  Reply<List<SessionView>> list(
      Authentication by, @QueryValue @Nullable Integer limit, @QueryValue @Nullable String cursor) {
    var page = page(by, cursor, Paging.limit(limit));
    return Reply.page(page.sessions(), page.next());
  }

  /**
   * One page of sessions.
   *
   * @param next where the next page starts, or {@code null} on the last page
   */
  record Page(List<SessionView> sessions, @Nullable Long next) {}

  /** Returns a page of sessions; shared by the REST endpoint and the page. */
  Page page(Authentication by, @Nullable String cursor, int most) {
    var who = SessionTokens.who(by);
    var found = access.sessions(who, Paging.before(cursor), most + 1);
    var page = found.subList(0, Math.min(most, found.size()));
    return new Page(
        page.stream().map(session -> view(session, who)).toList(),
        found.size() > most ? page.getLast().seq() : null);
  }

  static SessionView view(JdbcAccess.Session session, Access.Who who) {
    return new SessionView(
        session.seq(),
        session.name(),
        session.role(),
        session.address(),
        session.createdAt(),
        session.lastUsedAt(),
        session.expiresAt(),
        Objects.equals(session.seq(), who.session()));
  }

  @Delete("/{seq}")
  @Operation(
      operationId = "endSession",
      summary = "Ends a session; its open pages and event streams end within 15 seconds",
      description =
          "An admin may end any session; others may end those of their own key or account.")
  @ApiResponse(responseCode = "200", description = "Ended")
  @ApiResponse(
      responseCode = "404",
      description = "There is no such session, or you may not end it")
  Reply<Long> end(Authentication by, long seq) {
    if (!access.endSession(SessionTokens.who(by), seq)) {
      throw ApiProblem.notFound("There is no such session, or it is not one of yours.");
    }
    return Reply.ok(seq);
  }
}
