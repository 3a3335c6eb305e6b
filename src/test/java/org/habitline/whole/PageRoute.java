package org.habitline.whole;

import io.micronaut.http.HttpMethod;
import io.micronaut.http.annotation.Controller;
import io.micronaut.http.annotation.QueryValue;
import io.micronaut.http.uri.UriMatchTemplate;
import io.micronaut.web.router.Router;
import io.micronaut.web.router.UriRouteInfo;
import io.swagger.v3.oas.annotations.Hidden;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.regex.Pattern;
import org.habitline.RestLine;

/**
 * A page or the target of a form: a route of ours that the document of the API leaves out.
 *
 * @param consumes the content type of what it takes
 * @param queries the query parameters that it reads
 */
record PageRoute(String method, String path, String consumes, List<String> queries) {

  /** All there are, from the router of a running line. */
  static List<PageRoute> all(RestLine line) {
    return line.bean(Router.class)
        .uriRoutes()
        .filter(route -> route.getDeclaringType().getName().startsWith("org.habitline."))
        .filter(route -> route.getDeclaringType().isAnnotationPresent(Controller.class))
        .filter(route -> route.getHttpMethod() != HttpMethod.HEAD)
        .filter(PageRoute::hidden)
        .map(PageRoute::of)
        .distinct()
        .sorted(Comparator.comparing(PageRoute::name))
        .toList();
  }

  private static boolean hidden(UriRouteInfo<?, ?> route) {
    return route.getDeclaringType().isAnnotationPresent(Hidden.class)
        || route.getTargetMethod().hasAnnotation(Hidden.class);
  }

  private static PageRoute of(UriRouteInfo<?, ?> route) {
    return new PageRoute(
        route.getHttpMethod().name(),
        ((UriMatchTemplate) route.getUriMatchTemplate()).toPathString(),
        route.getConsumes().getFirst().toString(),
        Arrays.stream(route.getTargetMethod().getArguments())
            .filter(argument -> argument.isAnnotationPresent(QueryValue.class))
            .map(argument ->
                argument
                    .getAnnotationMetadata()
                    .stringValue(QueryValue.class)
                    .orElse(argument.getName()))
            .toList());
  }

  String name() {
    return method + " " + path;
  }

  boolean matches(String address) {
    return Pattern.matches(
        Pattern.quote(path).replaceAll("\\{[^}]+}", "\\\\E[^/?]+\\\\Q"),
        address.replaceFirst("[?#].*", ""));
  }
}
