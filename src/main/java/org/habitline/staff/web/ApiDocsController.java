package org.habitline.staff.web;

import io.micronaut.core.annotation.Nullable;
import io.micronaut.http.MediaType;
import io.micronaut.http.annotation.Controller;
import io.micronaut.http.annotation.Get;
import io.micronaut.http.annotation.Produces;
import io.micronaut.security.annotation.Secured;
import io.micronaut.security.authentication.Authentication;
import io.micronaut.security.rules.SecurityRule;
import io.micronaut.views.View;
import io.swagger.v3.oas.annotations.Hidden;
import io.swagger.v3.oas.annotations.OpenAPIDefinition;
import io.swagger.v3.oas.annotations.enums.SecuritySchemeType;
import io.swagger.v3.oas.annotations.info.Info;
import io.swagger.v3.oas.annotations.security.SecurityRequirement;
import io.swagger.v3.oas.annotations.security.SecurityScheme;
import io.swagger.v3.oas.annotations.servers.Server;
import java.util.Map;

/**
 * Serves the API reference page. It needs no key, like the OpenAPI document it reads: the list of
 * operations is public, and only calling them needs a key.
 */
@OpenAPIDefinition(
    info =
        @Info(
            title = "Habitline",
            version = "0.1",
            description =
                "All bodies are JSON in snake_case. A successful answer is"
                    + " {\"status\":\"ok\",\"message\"?,\"result\"?}. An error is"
                    + " {\"status\":\"error\",\"message\"}; the message is one sentence that says what is"
                    + " accepted. Lists are paged with limit (1 to 200, 50 by default) and cursor: pass"
                    + " the next_cursor of an answer to get the next page. It is absent on the last page."
                    + " A body with an unknown field gets status 400. A request without a valid key"
                    + " gets 401, and one whose key lacks the role gets 403. x-role names the lowest role"
                    + " that an operation needs: admin includes staff, and staff includes researcher."),
    servers = {
      @Server(url = "/", description = "The service that serves this document"),
      @Server(
          url = "http://127.0.0.1:8080",
          description = "A service on this machine with the default port")
    },
    security = @SecurityRequirement(name = "key"))
@SecurityScheme(
    name = "key",
    type = SecuritySchemeType.HTTP,
    scheme = "bearer",
    description =
        "An API key: HABITLINE_ADMIN_KEY, or one created on the page Keys or with POST /keys.")
@Hidden
@Controller("/api-docs")
@Secured(SecurityRule.IS_ANONYMOUS)
@Produces(MediaType.TEXT_HTML)
final class ApiDocsController {

  private final PageFrames frames;

  ApiDocsController(PageFrames frames) {
    this.frames = frames;
  }

  @Get
  @View("api-docs")
  Map<String, Object> page(@Nullable Authentication by) {
    return Map.of("frame", frames.frame("API", by, null));
  }
}
