package org.habitline.ops;

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
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * The document of the API as the build wrote it, and in each operation, as {@code x-role}, the role
 * that its route asks for: the router says it, so it cannot be another one.
 */
@Hidden
@Controller("/swagger/habitline-0.1.yml")
@Secured(SecurityRule.IS_ANONYMOUS)
final class ApiDocumentController {

  private static final String BUILT = "/META-INF/swagger/habitline-0.1.yml";
  private static final Pattern PATH = Pattern.compile("  (/\\S*):");
  private static final Pattern METHOD = Pattern.compile("    (get|put|post|delete):");

  /** What a variable of a path may be, which the document does not say in its name. */
  private static final Pattern PATTERNS = Pattern.compile(":[^}]+}");

  private final Provider<Router> router;

  ApiDocumentController(Provider<Router> router) {
    this.router = router;
  }

  @Get
  @Produces("application/yaml")
  String document() {
    var roles = roles();
    var document = new StringBuilder();
    var path = "";
    for (var line : built().lines().toList()) {
      document.append(line).append('\n');
      var begun = PATH.matcher(line);
      if (begun.matches()) {
        path = begun.group(1);
      }
      var method = METHOD.matcher(line);
      if (method.matches()) {
        Optional.ofNullable(roles.get(name(method.group(1), path)))
            .ifPresent(role -> document.append("      x-role: ").append(role.word()).append('\n'));
      }
    }
    return document.toString();
  }

  private static String built() {
    try (var in = ApiDocumentController.class.getResourceAsStream(BUILT)) {
      return new String(Objects.requireNonNull(in).readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String name(String method, String path) {
    return method.toUpperCase(Locale.ROOT) + " " + path;
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
                        name(
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
