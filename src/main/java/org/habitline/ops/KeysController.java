package org.habitline.ops;

import io.micronaut.core.annotation.Introspected;
import io.micronaut.http.HttpResponse;
import io.micronaut.http.HttpStatus;
import io.micronaut.http.annotation.Body;
import io.micronaut.http.annotation.Controller;
import io.micronaut.http.annotation.Delete;
import io.micronaut.http.annotation.Get;
import io.micronaut.http.annotation.Post;
import io.micronaut.security.annotation.Secured;
import io.micronaut.security.authentication.Authentication;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.responses.ApiResponse;
import io.swagger.v3.oas.annotations.tags.Tag;
import java.time.Instant;
import java.util.List;
import org.habitline.staff.ApiProblem;
import org.habitline.staff.Reply;
import org.jspecify.annotations.Nullable;

/** API keys for scripts and people. */
@Controller("/keys")
@Secured("admin")
@Tag(name = "Keys")
public final class KeysController {

  private static final int LONGEST_NAME = 200;

  private final Access access;

  KeysController(Access access) {
    this.access = access;
  }

  @Introspected
  record NewKeyRequest(@Nullable String name, @Nullable String role) {}

  /** A key as it may be shown. */
  @Introspected
  public record KeyView(
      String id, String name, String role, Instant createdAt, @Nullable Instant revokedAt) {}

  @Post
  @Operation(summary = "Creates a key; the key itself is shown this once")
  @ApiResponse(responseCode = "201", description = "Created", useReturnTypeSchema = true)
  @ApiResponse(responseCode = "400", description = "A name or role that is not accepted")
  @ApiResponse(responseCode = "409", description = "A key that is not revoked has this name")
  HttpResponse<Reply<Access.NewKey>> create(Authentication by, @Body NewKeyRequest request) {
    return HttpResponse.created(Reply.ok(created(by, request)));
  }

  /** Makes the key, for REST and for the page alike. */
  Access.NewKey created(Authentication by, NewKeyRequest request) {
    var name = request.name() == null ? "" : request.name().strip();
    if (name.isEmpty()
        || name.length() > LONGEST_NAME
        || name.codePoints().anyMatch(KeysController::unprintable)) {
      throw new ApiProblem(HttpStatus.BAD_REQUEST, "name: expected a text of 1 to 200 characters.");
    }
    var role =
        Role.of(request.role() == null ? "" : request.role())
            .orElseThrow(() ->
                new ApiProblem(
                    HttpStatus.BAD_REQUEST, "role: expected researcher, staff or admin."));
    return access
        .createKey(who(by), name, role)
        .orElseThrow(() ->
            new ApiProblem(
                HttpStatus.CONFLICT,
                "name: taken by another key or by the line itself; the audit log tells keys apart by name."));
  }

  private static boolean unprintable(int c) {
    var type = Character.getType(c);
    return type == Character.CONTROL || type == Character.SURROGATE;
  }

  @Get
  @Operation(summary = "Lists all keys, revoked ones too; never the keys themselves")
  @ApiResponse(responseCode = "200", description = "The keys")
  Reply<List<KeyView>> list() {
    return Reply.ok(views());
  }

  List<KeyView> views() {
    return access.keys().stream()
        .map(key -> new KeyView(key.id(), key.name(), key.role(), key.createdAt(), key.revokedAt()))
        .toList();
  }

  @Delete("/{id}")
  @Operation(summary = "Revokes a key and every session opened with it, at once")
  @ApiResponse(responseCode = "200", description = "Revoked")
  @ApiResponse(responseCode = "404", description = "There is none with this id, or no longer")
  Reply<String> revoke(Authentication by, String id) {
    if (!access.revoke(who(by), id)) {
      throw new ApiProblem(HttpStatus.NOT_FOUND, "There is no such key, or it is revoked already.");
    }
    return Reply.ok(id);
  }

  private static Access.Who who(Authentication by) {
    return new Access.Who(by.getName(), Role.ADMIN);
  }
}
