package org.habitline.llm.openai;

import com.openai.azure.AzureOpenAIServiceVersion;
import com.openai.azure.AzureUrlPathMode;
import com.openai.azure.credential.AzureApiKeyCredential;
import com.openai.client.okhttp.OpenAIOkHttpClient;
import java.net.URI;
import java.util.List;
import java.util.Optional;

/**
 * Azure OpenAI: the key goes in the header {@code api-key}, the model's name is a deployment's and
 * part of the URL, and the URL names a version of the API. A base URL that ends in {@code
 * /openai/v1} is Azure's newer form, without deployment and version in the URL.
 */
final class Azure {

  private static final List<String> HOSTS =
      List.of(
          ".openai.azure.com",
          ".services.ai.azure.com",
          ".cognitiveservices.azure.com",
          ".azure-api.net");

  private Azure() {}

  static boolean isHost(String host) {
    return HOSTS.stream().anyMatch(host::endsWith);
  }

  /**
   * Returns whether the settings mean Azure: its host, or a version of its API for a gateway
   * elsewhere.
   */
  static boolean isMeant(Optional<URI> baseUrl, Optional<String> apiVersion) {
    return apiVersion.isPresent() || baseUrl.map(URI::getHost).filter(Azure::isHost).isPresent();
  }

  static void set(OpenAIOkHttpClient.Builder client, String key, Optional<String> apiVersion) {
    client.credential(AzureApiKeyCredential.create(key));
    apiVersion.ifPresent(version ->
        client
            .azureServiceVersion(AzureOpenAIServiceVersion.fromString(version))
            .azureUrlPathMode(AzureUrlPathMode.LEGACY));
  }
}
