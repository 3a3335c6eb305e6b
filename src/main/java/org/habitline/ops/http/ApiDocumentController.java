package org.habitline.ops.http;

import io.micronaut.http.annotation.Controller;
import io.micronaut.http.annotation.Get;
import io.micronaut.http.annotation.Produces;
import io.micronaut.http.uri.UriMatchTemplate;
import io.micronaut.security.annotation.Secured;
import io.micronaut.security.rules.SecurityRule;
import io.micronaut.web.router.Router;
import io.micronaut.web.router.UriRouteInfo;
import io.swagger.v3.oas.annotations.Hidden;
import jakarta.inject.Provider;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import org.habitline.ops.access.Role;

/**
 * Serves the API document. The role of each operation is read from its route in the router, so the
 * document cannot differ from what is enforced.
 */
@Hidden
@Controller("/swagger/habitline-0.1.yml")
@Secured(SecurityRule.IS_ANONYMOUS)
final class ApiDocumentController {

  /** Patterns of path variables, which the document omits. */
  private static final Pattern PATTERNS = Pattern.compile(":[^}]+}");

  /** A provider, because the router is built from the controllers, and this is one. */
  private final Provider<Router> router;

  ApiDocumentController(Provider<Router> router) {
    this.router = router;
  }

  @Get
  @Produces("application/yaml")
  String document() {
    return ApiDocument.yaml(roles());
  }

  /** Returns the role that each route requires, by its key; routes without one are left out. */
  private Map<String, Role> roles() {
    var roles = new HashMap<String, Role>();
    router
        .get()
        .uriRoutes()
        .forEach(route ->
            role(route)
                .ifPresent(role ->
                    roles.put(
                        ApiDocument.name(
                            route.getHttpMethodName(),
                            PATTERNS
                                .matcher(
                                    ((UriMatchTemplate) route.getUriMatchTemplate()).toPathString())
                                .replaceAll("}")),
                        role)));
    return roles;
  }

  private static Optional<Role> role(UriRouteInfo<?, ?> route) {
    return Arrays.stream(route.getAnnotationMetadata().stringValues(Secured.class))
        .findFirst()
        .flatMap(Role::of);
  }
}
