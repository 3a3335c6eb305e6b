package org.habitline.ops.http;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonMappingException;
import com.fasterxml.jackson.databind.exc.MismatchedInputException;
import com.fasterxml.jackson.databind.exc.UnrecognizedPropertyException;
import io.micronaut.context.annotation.Primary;
import io.micronaut.context.annotation.Value;
import io.micronaut.core.convert.exceptions.ConversionErrorException;
import io.micronaut.core.type.Argument;
import io.micronaut.http.BasicHttpAttributes;
import io.micronaut.http.HttpHeaders;
import io.micronaut.http.HttpRequest;
import io.micronaut.http.HttpResponse;
import io.micronaut.http.HttpStatus;
import io.micronaut.http.MediaType;
import io.micronaut.http.MutableHttpResponse;
import io.micronaut.http.annotation.Body;
import io.micronaut.http.exceptions.ContentLengthExceededException;
import io.micronaut.http.server.exceptions.response.Error;
import io.micronaut.http.server.exceptions.response.ErrorContext;
import io.micronaut.http.server.exceptions.response.ErrorResponseProcessor;
import io.micronaut.security.annotation.Secured;
import io.micronaut.security.authentication.Authentication;
import io.micronaut.views.jte.HtmlJteViewsRenderer;
import io.micronaut.web.router.RouteAttributes;
import io.micronaut.web.router.exceptions.UnsatisfiedBodyRouteException;
import io.micronaut.web.router.exceptions.UnsatisfiedRouteException;
import jakarta.inject.Singleton;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.net.ConnectException;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.habitline.ops.access.Role;
import org.habitline.staff.web.Actor;
import org.habitline.staff.web.ApiProblem;
import org.habitline.staff.web.PageFrames;
import org.habitline.staff.web.Passes;
import org.habitline.staff.web.Reply;
import org.habitline.storage.Database;
import org.habitline.storage.Ids;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Turns every failed request into one sentence that says what was wrong and what is accepted, as
 * JSON, or on a page for a browser. Values from the request are not repeated; internal failures are
 * logged under an id that the response shows.
 */
@Primary
@Singleton
final class ErrorResponses implements ErrorResponseProcessor<Object> {

  private static final Logger log = LoggerFactory.getLogger(ErrorResponses.class);
  private static final int SERVER_ERROR = 500;
  private static final String UNREADABLE =
      "The body is not readable as JSON; send one JSON object.";
  private static final String NO_BODY = "The body is missing; send one JSON object.";
  private static final String NO_FILE =
      "The file is empty; its first row names the columns, such as phone_number,name.";
  private static final String WRONG_SHAPE = "The body has the wrong shape; send one JSON object.";

  private static final String BUSY =
      "All database connections are in use at the moment. Send this request again in a"
          + " second.";

  private static final String UNREACHABLE =
      "The database cannot be reached at the moment; nothing that was acknowledged is lost. Try again shortly.";

  private static final String OUTCOME_UNKNOWN =
      "It is not known whether this change was kept, because the database did not confirm it in time. Check whether it is there before you try again.";

  /** SQLSTATE classes: no connection, and a database that is stopped, stopping or starting. */
  private static final Set<String> AWAY = Set.of("08", "57");

  private static final String CHANGE_ROLE = "An admin can change your role on the page People.";

  private static final String NOWHERE =
      "There is nothing at this address; /api-docs lists all addresses.";
  private static final String NO_PAGE =
      "There is no page at this address. The address may be mistyped, or the page may have been removed.";

  private final String largestBody;

  private final HtmlJteViewsRenderer<Map<String, Object>> pages;
  private final PageFrames frames;
  private final FormAddresses forms;

  ErrorResponses(
      @Value("${habitline.max-body}") String largestBody,
      HtmlJteViewsRenderer<Map<String, Object>> pages,
      PageFrames frames,
      FormAddresses forms) {
    this.frames = frames;
    this.forms = forms;
    this.largestBody = largestBody;
    this.pages = pages;
  }

  @Override
  public MutableHttpResponse<Object> processResponse(
      ErrorContext context, MutableHttpResponse<?> response) {
    var request = context.getRequest();
    var browser = fromBrowser(request);
    if (browser) {
      var page = forms.page(request, response.status());
      if (page.isPresent()) {
        return HttpResponse.seeOther(page.get());
      }
    }
    if (context.getRootCause().filter(ErrorResponses::noConnection).isPresent()) {
      response =
          response.status(HttpStatus.SERVICE_UNAVAILABLE).header(HttpHeaders.RETRY_AFTER, "1");
    } else if (context.getRootCause().filter(Database::isOutcomeUnknown).isPresent()) {
      // Without Retry-After: a client that repeated its request could do its work twice.
      response = response.status(HttpStatus.SERVICE_UNAVAILABLE);
    }
    var said = sentence(context, response.status());
    var sentence = browser && said.equals(NOWHERE) ? NO_PAGE : said;
    if (response.status() == HttpStatus.UNAUTHORIZED
        && request.getHeaders().contains("HX-Request")) {
      // A part of a page whose session has ended: send the whole page to sign in.
      response.header("HX-Redirect", "/login");
    }
    return browser
        ? response
            .<Object>body(page(request, response.code(), sentence))
            .contentType(MediaType.TEXT_HTML_TYPE)
        : response.<Object>body(Reply.error(sentence)).contentType(MediaType.APPLICATION_JSON_TYPE);
  }

  /**
   * Returns whether no connection was free, which fails before any work, or a lock was not granted.
   * Nothing was changed then, so the client may retry.
   */
  private static boolean noConnection(Throwable failure) {
    return Database.isLocked(failure)
        || Stream.iterate(failure, Objects::nonNull, Throwable::getCause)
            .anyMatch(cause -> cause instanceof SQLTransientConnectionException);
  }

  /**
   * Returns whether the failure means that the database is unreachable, not that the pool is
   * exhausted.
   */
  private static boolean databaseAway(Throwable failure) {
    return Stream.iterate(failure, Objects::nonNull, Throwable::getCause)
        .anyMatch(cause -> cause instanceof ConnectException || isAway(cause));
  }

  private static boolean isAway(Throwable cause) {
    if (!(cause instanceof SQLException known) || known.getSQLState() == null) {
      return false;
    }
    return AWAY.stream().anyMatch(known.getSQLState()::startsWith);
  }

  private String page(HttpRequest<?> request, int code, String sentence) {
    var by = request.getUserPrincipal(Authentication.class).orElse(null);
    var page = new StringWriter();
    try {
      pages
          .render(
              "problem",
              Map.of("frame", frames.frame("Problem " + code, by, null), "sentence", sentence),
              null)
          .writeTo(page);
    } catch (IOException e) {
      throw new UncheckedIOException("The page cannot be rendered.", e);
    }
    return page.toString();
  }

  private static boolean fromBrowser(HttpRequest<?> request) {
    return request.accept().stream().anyMatch(MediaType.TEXT_HTML_TYPE::equals);
  }

  private String sentence(ErrorContext context, HttpStatus status) {
    var cause = context.getRootCause();
    if (cause.filter(UnsatisfiedBodyRouteException.class::isInstance).isPresent()
        && takesFile(context.getRequest())) {
      return NO_FILE;
    }
    return cause.flatMap(this::known).orElseGet(() -> byStatus(context, status, cause));
  }

  private Optional<String> known(Throwable failure) {
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      var sentence =
          switch (cause) {
            case ApiProblem problem -> problem.sentence();
            case UnrecognizedPropertyException unknown -> unknownField(unknown);
            case JsonMappingException wrong -> wrongType(wrong);
            case JsonProcessingException unreadable -> UNREADABLE;
            case ContentLengthExceededException tooLong -> tooLarge();
            case UnsatisfiedBodyRouteException missing -> NO_BODY;
            case UnsatisfiedRouteException missing -> missing(missing.getArgument());
            default -> null;
          };
      if (sentence != null) {
        return Optional.of(sentence);
      }
    }
    // Last, because this exception's own message repeats the value.
    return failure instanceof ConversionErrorException wrong
        ? Optional.of(unconvertible(wrong.getArgument()))
        : Optional.empty();
  }

  private static String unknownField(UnrecognizedPropertyException unknown) {
    var accepted =
        unknown.getKnownPropertyIds().stream()
            .map(Objects::toString)
            .collect(Collectors.toCollection(TreeSet::new));
    return "Unknown field '"
        + unknown.getPropertyName()
        + "'; accepted fields: "
        + String.join(", ", accepted)
        + ".";
  }

  private static String wrongType(JsonMappingException wrong) {
    var field =
        wrong.getPath().stream()
            .map(JsonMappingException.Reference::getFieldName)
            .filter(Objects::nonNull)
            .collect(Collectors.joining("."));
    if (field.isEmpty()) {
      return WRONG_SHAPE;
    }
    var expected =
        wrong instanceof MismatchedInputException mismatched && mismatched.getTargetType() != null
            ? expected(mismatched.getTargetType())
            : "another type";
    return "The field '" + field + "' has a value of the wrong type; expected " + expected + ".";
  }

  private static String unconvertible(Argument<?> argument) {
    return argument.isAnnotationPresent(Body.class)
        ? WRONG_SHAPE
        : argument.getName() + ": expected " + expected(argument.getType()) + ".";
  }

  private static String expected(Class<?> type) {
    if (type == boolean.class || type == Boolean.class) {
      return "true or false";
    }
    if (type == int.class || type == long.class || type == Integer.class || type == Long.class) {
      return "a whole number";
    }
    if (type.isEnum()) {
      return "one of "
          + Arrays.stream(type.getEnumConstants())
              .map(constant -> constant.toString().toLowerCase(Locale.ROOT))
              .collect(Collectors.joining(", "));
    }
    if (Number.class.isAssignableFrom(type) || type.isPrimitive()) {
      return "a number";
    }
    if (CharSequence.class.isAssignableFrom(type)) {
      return "a string";
    }
    return Iterable.class.isAssignableFrom(type) || type.isArray() ? "a list" : "another type";
  }

  private static String missing(Argument<?> argument) {
    return argument.isAnnotationPresent(Body.class)
        ? NO_BODY
        : argument.getName() + ": missing; expected " + expected(argument.getType()) + ".";
  }

  /** Returns one message for all three limits: the server does not say which was exceeded. */
  private String tooLarge() {
    return "The request is too large; at most "
        + largestBody
        + " is accepted as the body (HABITLINE_MAX_BODY sets it), 4 KiB as the address and 8 KiB as the"
        + " headers.";
  }

  /** Returns the message for a missing or invalid key. */
  private static String unknown(HttpRequest<?> request) {
    return request.getHeaders().getAuthorization().isPresent()
        ? "This key is not valid: it is mistyped, revoked or expired. Send a valid key as"
            + " 'Authorization: Bearer …'; an admin creates keys on the page Keys."
        : "Send an API key as 'Authorization: Bearer …', or sign in on the page.";
  }

  private String byStatus(ErrorContext context, HttpStatus status, Optional<Throwable> cause) {
    return switch (status) {
      case UNAUTHORIZED -> unknown(context.getRequest());
      case FORBIDDEN -> forbidden(context.getRequest());
      case NOT_FOUND -> NOWHERE;
      case METHOD_NOT_ALLOWED ->
          "This address does not accept " + context.getRequest().getMethodName() + ".";
      case UNSUPPORTED_MEDIA_TYPE ->
          takesFile(context.getRequest())
              ? "Send the file as CSV, with 'Content-Type: text/csv'."
              : "Send the body as JSON, with 'Content-Type: application/json'.";
      case REQUEST_ENTITY_TOO_LARGE -> tooLarge();
      case SERVICE_UNAVAILABLE -> unavailable(context, cause);
      default ->
          status.getCode() < SERVER_ERROR
              ? request(context)
              : "An internal error occurred." + inTheLog(context, cause);
    };
  }

  private static String unavailable(ErrorContext context, Optional<Throwable> cause) {
    if (cause.filter(Database::isOutcomeUnknown).isPresent()) {
      return OUTCOME_UNKNOWN + inTheLog(context, cause);
    }
    return cause.filter(ErrorResponses::databaseAway).isPresent() ? UNREACHABLE : BUSY;
  }

  private static boolean takesFile(HttpRequest<?> request) {
    return request.getPath().replaceFirst("/$", "").endsWith("/import");
  }

  private static String forbidden(HttpRequest<?> request) {
    var needed =
        RouteAttributes.getRouteMatch(request)
            .flatMap(route -> route.getAnnotationMetadata().getValue(Secured.class, String[].class))
            .map(roles -> String.join(" or ", roles))
            .filter(roles -> Role.of(roles).isPresent());
    var by = request.getUserPrincipal(Authentication.class);
    var has = by.map(who -> Actor.of(who).role()).orElse("none");
    var account = by.filter(who -> who.getAttributes().containsKey(Passes.ACCOUNT)).isPresent();
    if (has.equals(Role.DEIDENTIFIED.word())) {
      return (account ? "Your account" : "This key")
          + " is limited to de-identified data: the figures of the study and exports of the"
          + " scope deidentified. "
          + (account
              ? CHANGE_ROLE
              : "An admin can make a key without this limit for you, on the page Keys or with POST"
                  + " /keys.");
    }
    return needed
        .map(role -> role.equals(Role.DEIDENTIFIED.word()) ? Role.RESEARCHER.word() : role)
        .map(role ->
            account
                ? "This needs the role " + role + "; your account has " + has + ". " + CHANGE_ROLE
                : "This needs the role "
                    + role
                    + "; the key or session has "
                    + has
                    + ". An admin can make a key with the role "
                    + role
                    + " for you, on the page Keys or with POST /keys.")
        .orElse("This key or session does not have the role that this needs.");
  }

  private static String request(ErrorContext context) {
    return context.getErrors().stream()
        .map(Error::getMessage)
        .filter(message -> !message.isBlank())
        .findFirst()
        .map(message -> message.endsWith(".") ? message : message + ".")
        .orElse("The request cannot be read; /api-docs says what is accepted.");
  }

  /** Logs the failure, and returns the sentence that says where. */
  private static String inTheLog(ErrorContext context, Optional<Throwable> cause) {
    var number = Ids.next("err");
    log.error(
        "{}: {} {} failed: {}",
        number,
        context.getRequest().getMethodName(),
        // The template, not the address, which may hold a phone number.
        BasicHttpAttributes.getUriTemplate(context.getRequest()).orElse("an unknown address"),
        cause.map(ErrorResponses::types).orElse("unknown"),
        cause.map(ErrorResponses::whereOnly).orElse(null));
    return " The log has the details under " + number + ".";
  }

  private static String types(Throwable failure) {
    return Stream.iterate(failure, Objects::nonNull, Throwable::getCause)
        .map(cause -> cause.getClass().getName())
        .collect(Collectors.joining(", caused by "));
  }

  /**
   * Returns a copy of a failure with its stack trace, without messages, which may quote a
   * participant.
   */
  private static Throwable whereOnly(Throwable failure) {
    var cause = failure.getCause();
    var bare = new IllegalStateException(cause == null ? null : whereOnly(cause));
    bare.setStackTrace(failure.getStackTrace());
    return bare;
  }
}
