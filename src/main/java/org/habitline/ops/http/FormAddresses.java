package org.habitline.ops.http;

import io.micronaut.http.HttpMethod;
import io.micronaut.http.HttpRequest;
import io.micronaut.http.HttpStatus;
import io.micronaut.http.MediaType;
import io.micronaut.web.router.Router;
import jakarta.inject.Singleton;
import java.net.URI;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Finds the page of a form. A form that was refused is shown again at the address to which it was
 * sent. A browser that opens that address later, from its history or a bookmark, is led to the page
 * above it.
 */
@Singleton
final class FormAddresses {

  private final Router router;

  FormAddresses(Router router) {
    this.router = router;
  }

  /**
   * Returns the page of the form at this address, or empty if there is no form.
   *
   * @param status how a GET of the address is answered: 405, or 404 if the address looks like that
   *     of a page, such as {@code /participants/selected}
   */
  Optional<URI> page(HttpRequest<?> request, HttpStatus status) {
    var address = request.getUri().getRawPath().replaceFirst("/$", "");
    return request.getMethod() == HttpMethod.GET
        ? templates(HttpMethod.POST, address, request)
            .filter(form ->
                status == HttpStatus.METHOD_NOT_ALLOWED
                    || (status == HttpStatus.NOT_FOUND && form.equals(address)))
            .findFirst()
            .map(form -> URI.create(above(address, form, request)))
        : Optional.empty();
  }

  /** Returns the nearest address above that is a page, and not another one that looks like it. */
  private String above(String address, String template, HttpRequest<?> request) {
    var upper = address.substring(0, address.lastIndexOf('/'));
    var wanted = template.substring(0, template.lastIndexOf('/'));
    if (upper.isEmpty() || wanted.isEmpty()) {
      return "/";
    }
    return templates(HttpMethod.GET, upper, request).anyMatch(wanted::equals)
        ? upper
        : above(upper, wanted, request);
  }

  /** Returns the templates of pages or forms at an address, such as {@code /bulk/{id}}. */
  private Stream<String> templates(HttpMethod method, String address, HttpRequest<?> request) {
    return router
        .find(method, address, request)
        .map(match -> match.getRouteInfo())
        .filter(route -> route.explicitlyProduces(MediaType.TEXT_HTML_TYPE))
        .map(route -> route.getUriMatchTemplate().toPathString());
  }
}
