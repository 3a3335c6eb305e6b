package org.habitline.ops.http;

import io.micronaut.http.HttpRequest;
import io.micronaut.http.annotation.QueryValue;
import io.micronaut.http.annotation.RequestFilter;
import io.micronaut.http.annotation.ServerFilter;
import io.micronaut.web.router.MethodBasedRouteMatch;
import io.micronaut.web.router.RouteAttributes;
import java.util.Arrays;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.habitline.ops.access.ChatTokens;
import org.habitline.staff.web.AcceptsQuery;
import org.habitline.staff.web.ApiProblem;

/**
 * Refuses unknown query parameters, like unknown fields, so that a typo is noticed; also refuses a
 * NUL character in the address.
 */
@ServerFilter(ServerFilter.MATCH_ALL_PATTERN)
final class StrictQueries {

  /** PostgreSQL does not accept it in text. */
  private static final String NUL = "%00";

  private static final String OURS = "org.habitline.";

  /**
   * Webhook addresses are exempt: the operator entered them at the provider, and they are signed as
   * a whole.
   */
  private static final String WEBHOOKS = "/webhooks/";

  @RequestFilter
  void refuseUnknown(HttpRequest<?> request) {
    RouteAttributes.getRouteMatch(request)
        .filter(route -> route instanceof MethodBasedRouteMatch<?, ?>)
        .map(route -> (MethodBasedRouteMatch<?, ?>) route)
        .filter(route -> route.getDeclaringType().getName().startsWith(OURS))
        .filter(route -> !request.getPath().startsWith(WEBHOOKS))
        .filter(route -> !ChatTokens.isForChat(request))
        .ifPresent(route -> {
          refuseNul(request);
          refuseUnknown(request, route);
        });
  }

  private static void refuseNul(HttpRequest<?> request) {
    if (request.getUri().toString().contains(NUL)) {
      throw ApiProblem.bad("The address contains a NUL character (%00), which is not accepted.");
    }
  }

  private static void refuseUnknown(HttpRequest<?> request, MethodBasedRouteMatch<?, ?> route) {
    var accepted =
        Arrays.stream(route.getArguments())
            .filter(argument -> argument.isAnnotationPresent(QueryValue.class))
            .map(argument ->
                argument
                    .getAnnotationMetadata()
                    .stringValue(QueryValue.class)
                    .orElse(argument.getName()))
            .collect(Collectors.toCollection(TreeSet::new));
    accepted.addAll(Arrays.asList(route.getAnnotationMetadata().stringValues(AcceptsQuery.class)));
    for (var name : request.getParameters().names()) {
      if (accepted.stream().noneMatch(it -> stands(it, name))) {
        throw ApiProblem.bad(
            "Unknown query parameter '"
                + name
                + "'; "
                + (accepted.isEmpty()
                    ? "no query parameters are accepted"
                    : "accepted parameters: " + String.join(", ", accepted))
                + ".");
      }
    }
  }

  private static boolean stands(String accepted, String name) {
    return accepted.endsWith("*")
        ? name.startsWith(accepted.substring(0, accepted.length() - 1))
        : accepted.equals(name);
  }
}
