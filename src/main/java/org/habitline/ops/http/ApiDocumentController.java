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
 * Serves the document of the API. The role of each operation is the one that its route asks for:
 * the router says it, so it cannot be another one.
 */
@Hidden
@Controller("/swagger/habitline-0.1.yml")
@Secured(SecurityRule.IS_ANONYMOUS)
final class ApiDocumentController {

  /** What a variable of a path may be, which the document does not say in its name. */
  private static final Pattern PATTERNS = Pattern.compile(":[^}]+}");

  /** Asked for later: the router is made of the controllers, and this is one. */
  private final Provider<Router> router;

  ApiDocumentController(Provider<Router> router) {
    this.router = router;
  }

  @Get
  @Produces("application/yaml")
  String document() {
    return ApiDocument.yaml(roles());
  }

  /** The role that each route asks for, if it asks for one. */
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
