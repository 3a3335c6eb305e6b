package org.habitline.messaging.twilio;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.twilio.http.HttpMethod;
import com.twilio.http.Request;
import com.twilio.http.TwilioRestClient;
import com.twilio.rest.Domains;
import com.twilio.rest.api.v2010.account.Message;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Reads Twilio's list of messages, newest first, a page at a time. Each message is parsed
 * separately: the SDK's reader fails for the whole page if one value of one message is unexpected.
 */
final class MessageList {

  private static final int PER_PAGE = 500;

  /** The fields needed for a text, without price and status. */
  private static final Set<String> TEXT =
      Set.of("sid", "direction", "from", "to", "body", "num_media", "date_created");

  private final TwilioRestClient client;
  private Optional<Request> next;

  private MessageList(TwilioRestClient client, Request first) {
    this.client = client;
    this.next = Optional.of(first);
  }

  /**
   * A page of the list.
   *
   * @param unreadable how many of its messages could not be read, or have no id or no date
   */
  record Page(List<Message> messages, int unreadable) {}

  static MessageList to(String number, TwilioRestClient client) {
    return of("To", number, client);
  }

  static MessageList from(String number, TwilioRestClient client) {
    return of("From", number, client);
  }

  private static MessageList of(String filter, String number, TwilioRestClient client) {
    var first =
        new Request(
            HttpMethod.GET,
            Domains.API.toString(),
            "/2010-04-01/Accounts/" + client.getAccountSid() + "/Messages.json");
    first.addQueryParam(filter, number);
    first.addQueryParam("PageSize", String.valueOf(PER_PAGE));
    return new MessageList(client, first);
  }

  /** Requests the next page from Twilio; returns empty if there is none. */
  Optional<Page> nextPage() {
    return next.map(request -> {
      var answer = json(client.request(request).getContent());
      next =
          Optional.of(answer.path("next_page_uri").asText(""))
              .filter(uri -> uri.startsWith("/"))
              .map(uri -> new Request(HttpMethod.GET, Domains.API.toString(), uri));
      return page(answer.path("messages"));
    });
  }

  private JsonNode json(String content) {
    try {
      return client.getObjectMapper().readTree(content);
    } catch (IOException e) {
      throw new IllegalStateException("Twilio's list of messages is not JSON");
    }
  }

  private Page page(JsonNode listed) {
    var messages = new ArrayList<Message>();
    listed.forEach(
        node -> read(node).filter(MessageList::isNamedAndDated).ifPresent(messages::add));
    return new Page(List.copyOf(messages), listed.size() - messages.size());
  }

  /** Parses a message, or only its text's fields if the price or the error is unreadable. */
  private Optional<Message> read(JsonNode node) {
    return read(node.toString())
        .or(() ->
            node instanceof ObjectNode all
                ? read(all.deepCopy().retain(TEXT).toString())
                : Optional.empty());
  }

  private Optional<Message> read(String json) {
    try {
      ObjectMapper mapper = client.getObjectMapper();
      return Optional.ofNullable(mapper.readValue(json, Message.class));
    } catch (JsonProcessingException e) {
      return Optional.empty();
    }
  }

  private static boolean isNamedAndDated(Message message) {
    var sid = message.getSid();
    return sid != null
        && !sid.isBlank()
        && sid.length() <= WebhookForm.LONGEST_SID
        && sid.indexOf('\0') < 0
        && message.getDateCreated() != null;
  }
}
