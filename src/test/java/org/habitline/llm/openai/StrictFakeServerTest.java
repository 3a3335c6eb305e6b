package org.habitline.llm.openai;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The fake is asked by hand, so that what it refuses is not what our own client never sends. */
final class StrictFakeServerTest {

  private static final JsonMapper JSON = new JsonMapper();

  private final StrictFakeServer fake = StrictFakeServer.start();
  private final HttpClient http = HttpClient.newHttpClient();

  @AfterEach
  void stop() {
    http.close();
    fake.close();
  }

  private HttpRequest request(String body) {
    return HttpRequest.newBuilder(URI.create(fake.baseUrl() + "/chat/completions"))
        .header("Authorization", "Bearer sk-test")
        .POST(HttpRequest.BodyPublishers.ofString(body))
        .build();
  }

  private HttpResponse<String> post(String body) throws IOException, InterruptedException {
    return http.send(request(body), HttpResponse.BodyHandlers.ofString());
  }

  private static String messages(String messages) {
    return "{'model':'m','messages':[%s]}".formatted(messages).replace('\'', '"');
  }

  private static String strictTool(String schema) {
    return """
    {'model':'m','messages':[{'role':'user','content':'hi'}],
     'tools':[{'type':'function','function':{'name':'f','strict':true,'parameters':%s}}]}\
    """
        .formatted(schema)
        .replace('\'', '"');
  }

  @Test
  void aRequestWithinTheRulesIsAnsweredAndRemembered() throws Exception {
    fake.then(Scripted.say("Hello."));
    var answer = post(messages("{'role':'system','content':'s'},{'role':'user','content':'hi'}"));
    assertThat(answer.statusCode()).isEqualTo(200);
    assertThat(JSON.readTree(answer.body()).at("/choices/0/message/content").asText())
        .isEqualTo("Hello.");
    assertThat(fake.asked())
        .singleElement()
        .extracting("authorization")
        .isEqualTo("Bearer sk-test");
    assertThat(fake.asked().getFirst().lastUserText()).isEqualTo("hi");
    assertThat(fake.violations()).isEmpty();
  }

  @Test
  void aWholeExchangeWithToolsIsWithinTheRules() throws Exception {
    var answer =
        post(
            messages(
                """
                {'role':'user','content':'hi'},
                {'role':'assistant','content':null,'tool_calls':[
                  {'id':'a','type':'function','function':{'name':'f','arguments':'{}'}},
                  {'id':'b','type':'function','function':{'name':'f','arguments':'not json'}}]},
                {'role':'tool','tool_call_id':'b','content':'2'},
                {'role':'tool','tool_call_id':'a','content':'1'},
                {'role':'assistant','content':'Done.'},
                {'role':'user','content':''}\
                """));
    assertThat(answer.statusCode()).isEqualTo(200);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      value = {
        "orphan result         | {'role':'tool','tool_call_id':'a','content':'1'}",
        "empty tool_calls      | {'role':'assistant','content':'x','tool_calls':[]}",
        "repeated id           | {'role':'assistant','tool_calls':[{'id':'a','type':'function','function':{'name':'f','arguments':''}},{'id':'a','type':'function','function':{'name':'f','arguments':''}}]},{'role':'tool','tool_call_id':'a','content':'1'}",
        "no result             | {'role':'assistant','tool_calls':[{'id':'a','type':'function','function':{'name':'f','arguments':''}}]}",
        "late result           | {'role':'assistant','tool_calls':[{'id':'a','type':'function','function':{'name':'f','arguments':''}}]},{'role':'user','content':'x'},{'role':'tool','tool_call_id':'a','content':'1'}",
        "second result         | {'role':'assistant','tool_calls':[{'id':'a','type':'function','function':{'name':'f','arguments':''}}]},{'role':'tool','tool_call_id':'a','content':'1'},{'role':'tool','tool_call_id':'a','content':'1'}",
        "odd name              | {'role':'assistant','tool_calls':[{'id':'a','type':'function','function':{'name':'a b','arguments':''}}]},{'role':'tool','tool_call_id':'a','content':'1'}",
        "long id               | {'role':'assistant','tool_calls':[{'id':'aaaaaaaaaabbbbbbbbbbaaaaaaaaaabbbbbbbbbbc','type':'function','function':{'name':'f','arguments':''}}]}",
        "arguments as object   | {'role':'assistant','tool_calls':[{'id':'a','type':'function','function':{'name':'f','arguments':{}}}]},{'role':'tool','tool_call_id':'a','content':'1'}",
        "unknown role          | {'role':'moderator','content':'x'}",
        "null user text        | {'role':'user','content':null}",
        "null assistant text   | {'role':'assistant','content':null}",
        "null result           | {'role':'assistant','tool_calls':[{'id':'a','type':'function','function':{'name':'f','arguments':''}}]},{'role':'tool','tool_call_id':'a','content':null}",
      })
  void aConversationThatTheVendorRefusesIsRefused(String what, String messages) throws Exception {
    refused(messages(messages));
    assertThat(what).isNotBlank();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      value = {
        "no messages          | {'model':'m'}",
        "empty messages       | {'model':'m','messages':[]}",
        "no model             | {'messages':[{'role':'user','content':'x'}]}",
        "no JSON              | {{{",
        "tool_choice alone    | {'model':'m','messages':[{'role':'user','content':'x'}],'tool_choice':'none'}",
        "parallel alone       | {'model':'m','messages':[{'role':'user','content':'x'}],'parallel_tool_calls':false}",
        "empty tools          | {'model':'m','messages':[{'role':'user','content':'x'}],'tools':[]}",
        "unknown parameter    | {'model':'m','messages':[{'role':'user','content':'x'}],'max_words':3}",
        "too hot              | {'model':'m','messages':[{'role':'user','content':'x'}],'temperature':2.5}",
        "no tokens            | {'model':'m','messages':[{'role':'user','content':'x'}],'max_tokens':0}",
        "two token limits     | {'model':'m','messages':[{'role':'user','content':'x'}],'max_tokens':1,'max_completion_tokens':1}",
      })
  void aRequestThatTheVendorRefusesIsRefused(String what, String body) throws Exception {
    refused(body.replace('\'', '"'));
    assertThat(what).isNotBlank();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      value = {
        "{'type':'object','properties':{'a':{'type':'string'}},'required':['a']}",
        "{'type':'object','properties':{'a':{'type':'string'}},'required':['a'],'additionalProperties':true}",
        "{'type':'object','properties':{'a':{'type':'string'}},'required':[],'additionalProperties':false}",
        "{'type':'object','properties':{'a':{'type':'string'}},'additionalProperties':false}",
        "{'type':'object','properties':{'a':{'type':'string','minLength':1}},'required':['a'],'additionalProperties':false}",
        "{'type':'object','properties':{'a':{'type':'array','items':{'type':'object','properties':{'b':{'type':'string'}}}}},'required':['a'],'additionalProperties':false}",
        "{'type':'array','items':{'type':'string'}}",
      })
  void aSchemaThatIsNotStrictIsRefused(String schema) throws Exception {
    refused(strictTool(schema));
  }

  @Test
  void aStrictSchemaIsAccepted() throws Exception {
    var answer =
        post(
            strictTool(
                """
                {'type':'object','additionalProperties':false,'required':['a','b'],'properties':{
                  'a':{'type':['string','null'],'enum':['x',null]},
                  'b':{'type':'array','items':{'type':'object','properties':{},'required':[],
                       'additionalProperties':false}}}}\
                """));
    assertThat(answer.statusCode()).isEqualTo(200);
  }

  private void refused(String body) throws Exception {
    var answer = post(body);
    assertThat(answer.statusCode()).isEqualTo(400);
    JsonNode error = JSON.readTree(answer.body()).path("error");
    assertThat(error.path("message").asText()).isNotBlank();
    assertThat(error.path("type").asText()).isEqualTo("invalid_request_error");
    assertThat(fake.violations()).containsExactly(error.path("message").asText());
    assertThat(fake.asked()).isEmpty();
  }

  @Test
  void aRequestWithoutAKeyIsUnauthorized() throws Exception {
    var bare =
        HttpRequest.newBuilder(URI.create(fake.baseUrl() + "/chat/completions"))
            .POST(HttpRequest.BodyPublishers.ofString("{}"))
            .build();
    assertThat(http.send(bare, HttpResponse.BodyHandlers.ofString()).statusCode()).isEqualTo(401);
  }

  @Test
  void aHeldAnswerIsPendingUntilItIsLetGo() throws Exception {
    var latch = new CountDownLatch(1);
    fake.then(Scripted.say("Now.").heldBy(latch));
    var answer =
        http.sendAsync(
            request(messages("{'role':'user','content':'hi'}")),
            HttpResponse.BodyHandlers.ofString());
    await().until(() -> fake.asked().size() == 1);
    assertThat(fake.pending()).isEqualTo(1);
    assertThat(answer).isNotDone();
    latch.countDown();
    assertThat(answer.get().body()).contains("Now.");
    await().until(() -> fake.pending() == 0);
  }
}
