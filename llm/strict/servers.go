package strict

// rulebook is what one server requires. The first rule that is broken is the one it names.
type rulebook struct {
	read   func(body []byte) (*chat, *fault) // nil for Chat Completions
	unread rule                              // for a body that is not of the form of a request at all
	rules  []rule
}

// The patterns of names and ids.
const (
	nameOpenAI    = `^[a-zA-Z0-9_-]{1,64}$`
	nameAnthropic = `^[a-zA-Z0-9_-]{1,128}$`
	nameGemini    = `^[a-zA-Z_][a-zA-Z0-9_.:-]{0,63}$`
	idAnthropic   = `^[a-zA-Z0-9_-]+$`
	nameStrictest = `^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$`
	idStrictest   = `^[a-zA-Z0-9_-]{1,40}$`
	idMistral     = `^[a-zA-Z0-9]{9}$`
)

// servers are the rulebooks by the name of the server.
var servers = map[string]rulebook{
	"openai": {
		unread: rule{
			name: "form", status: 400, code: "invalid_type",
			text: "We could not parse the JSON body of your request. Invalid type for '{path}': expected {want}, but got {got} instead.",
		},
		rules: []rule{
			{"model-named", modelNamed, 400, "", "you must provide a model parameter"},
			{"messages-there", messagesThere(), 400, "empty_array", "Invalid 'messages': empty array. Expected an array with minimum length 1, but got an empty array instead."},
			{"role-known", roleKnown("system", "developer", "user", "assistant", "tool"), 400, "invalid_value", "Invalid value: '{role}'. Supported values are: 'system', 'assistant', 'user', 'function', 'tool', and 'developer'."},
			{"keys-known", keysKnown(knownOpenAI), 400, "unknown_parameter", "Unknown parameter: '{path}'."},
			{"content-there", contentThere(true), 400, "invalid_type", "Invalid value for 'content': expected a string, got null."},
			{"parts-whole", partsWhole(false), 400, "missing_required_parameter", "Missing required parameter: 'messages[{i}].content[{part}].text'."},
			{"images-whole", imagesWhole, 400, "invalid_value", "Invalid 'messages[{i}].content[{part}].image_url.url'. Expected a base64-encoded data URL with an image MIME type (e.g. 'data:image/png;base64,aW1nIGJ5dGVzIGhlcmU='), but got unsupported MIME type '{media}'."},
			{"images-of-user", imagesOfUser, 400, "invalid_value", "Invalid 'messages[{i}]'. Image URLs are only allowed for messages with role 'user', but this message with role '{role}' contains an image URL."},
			{"call-named", eachCall(call.named), 400, "empty_string", "Invalid 'messages[{i}].tool_calls[{call}].function.name': empty string. Expected a string with minimum length 1, but got an empty string instead."},
			{"name-form", eachCall(namePattern(nameOpenAI)), 400, "invalid_value", "Invalid 'messages[{i}].tool_calls[{call}].function.name': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'."},
			{"id-there", eachCall(call.identified), 400, "empty_string", "Invalid 'messages[{i}].tool_calls[{call}].id': empty string. Expected a string with minimum length 1, but got an empty string instead."},
			{"id-short", eachCall(idShort(40)), 400, "string_above_max_length", "Invalid 'messages[{i}].tool_calls[{call}].id': string too long. Expected a string with maximum length 40, but got a string with length {long} instead."},
			{"arguments-there", eachCall(call.argued), 400, "missing_required_parameter", "Missing required parameter: 'messages[{i}].tool_calls[{call}].function.arguments'."},
			{"result-of-call", resultOfCall, 400, "", "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'."},
			{"call-answered", callAnswered, 400, "", "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: {ids}"},
		},
	},
	"llamacpp": {
		unread: rule{name: "form", status: 500, text: "[json.exception.type_error.302] type of {path} must be {want}, but is {got}"},
		rules: []rule{
			{"messages-there", messagesThere("system"), 500, "", "No user query found in messages."},
			{"content-there", contentThere(true), 400, "", "All non-assistant messages must contain 'content'"},
			{"answer-speaks", llamaAnswer, 400, "", "Assistant message must contain either 'content' or 'tool_calls'!"},
			{"call-named", eachCall(call.named), 400, "", "Missing tool call name"},
			{"arguments-object", argumentsObject("Failed to parse tool call arguments as JSON: [json.exception.parse_error.101] parse error", "Value is not iterable: items"), 500, "", "{reason}"},
			{"system-first", systemFirst, 500, "", "System message must be at the beginning."},
			{"ends-open", endsAnswerable("Assistant response prefill is incompatible with enable_thinking.", "Cannot have 2 or more assistant messages at the end of the list."), 400, "", "{reason}"},
			{"alternating", alternating, 500, "", "After the optional system message, conversation roles must alternate user/assistant/user/assistant/..."},
		},
	},
	"mistral": {
		unread: rule{name: "form", status: 422, code: "invalid_type", text: "Input should be {want} at {path}, got {got}"},
		rules: []rule{
			{"model-named", modelNamed, 422, "missing", "Field required: model"},
			{"messages-there", messagesThere(), 400, "3051", "Conversation must have at least one message"},
			{"role-known", roleKnown("system", "user", "assistant", "tool"), 422, "union_tag_invalid", "Input tag '{role}' found using 'role' does not match any of the expected tags: 'assistant', 'system', 'tool', 'user'"},
			{"keys-known", keysKnown(knownMistral), 422, "extra_forbidden", "Extra inputs are not permitted: {path}"},
			{"content-there", contentThere(true), 422, "missing", "Field required: messages[{i}].content"},
			{"parts-whole", partsWhole(false), 422, "missing", "Field required: messages[{i}].content[{part}].text"},
			{"answer-speaks", contentSpeaks("assistant"), 400, "3240", "Assistant message must have either content or tool_calls, but not none."},
			{"role-order", follows(orderMistral), 400, "3230", "Unexpected role '{role}' after role '{before}'"},
			{"as-many-results", asManyResults, 400, "3230", "Not the same number of function calls and responses"},
			{"result-of-call", resultOfGroup, 400, "3230", "Unexpected tool call id {id} in tool results"},
			{"call-named", eachCall(call.named), 400, "3280", "Function name was  but must be a-z, A-Z, 0-9, or contain underscores and dashes, with a maximum length of 64."},
			{"name-form", eachCall(namePattern(nameOpenAI)), 400, "3280", "Function name was {name} but must be a-z, A-Z, 0-9, or contain underscores and dashes, with a maximum length of 64."},
			{"id-form", eachCall(idPattern(idMistral)), 400, "3280", "Tool call id was {id} but must be a-z, A-Z, 0-9, with a length of 9."},
			{"arguments-there", eachCall(call.argued), 422, "missing", "Field required: messages[{i}].tool_calls[{call}].function.arguments"},
			{"ends-open", endsAnswerable("", ""), 400, "3230", "Expected last role User or Tool (or Assistant with prefix True) for serving but got assistant"},
		},
	},
	"deepseek": {
		unread: rule{name: "form", status: 400, code: "invalid_request_error", text: "Failed to deserialize the JSON body into the target type: {path}: invalid type: {got}, expected {want}"},
		rules: []rule{
			{"model-named", modelNamed, 400, "invalid_request_error", "Failed to deserialize the JSON body into the target type: missing field `model`"},
			{"messages-there", messagesThere(), 400, "invalid_request_error", "Empty input messages"},
			{"role-known", roleKnown("system", "user", "assistant", "tool"), 400, "invalid_request_error", "Failed to deserialize the JSON body into the target type: messages[{i}].role: unknown variant `{role}`, expected one of `system`, `user`, `assistant`, `tool`"},
			{"content-there", contentThere(false), 400, "invalid_request_error", "Failed to deserialize the JSON body into the target type: messages[{i}]: missing field `content`"},
			{"texts-only", textsOnly, 400, "invalid_request_error", "Failed to deserialize the JSON body into the target type: messages[{i}]: unknown variant `{kind}`, expected `text`"},
			{"call-named", eachCall(call.named), 400, "invalid_request_error", "Invalid 'messages[{i}].tool_calls[{call}].function.name': empty string."},
			{"name-form", eachCall(namePattern(nameOpenAI)), 400, "invalid_request_error", "Invalid 'messages[{i}].tool_calls[{call}].function.name': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'."},
			{"arguments-there", eachCall(call.argued), 400, "invalid_request_error", "Failed to deserialize the JSON body into the target type: messages[{i}]: missing field `arguments`"},
			{"result-of-call", resultOfCall, 400, "invalid_request_error", "Messages with role 'tool' must be a response to a preceding message with 'tool_calls'"},
			{"call-answered", callAnswered, 400, "invalid_request_error", "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. (insufficient tool messages following tool_calls message)"},
			{"reasoning-back", reasoningReturned, 400, "invalid_request_error", "The `reasoning_content` in the thinking mode must be passed back to the API."},
		},
	},
	"anthropic": {
		unread: rule{name: "form", status: 400, code: "invalid_request_error", text: "{path}: Input should be {want}, not {got}"},
		rules: []rule{
			{"model-named", modelNamed, 400, "invalid_request_error", "model: Field required"},
			{"messages-there", messagesThere("system", "developer"), 400, "invalid_request_error", "messages: at least one message is required"},
			{"role-known", roleKnown("system", "developer", "user", "assistant", "tool"), 400, "invalid_request_error", "messages.{i}.role: Input should be 'user' or 'assistant'"},
			{"user-first", userFirst, 400, "invalid_request_error", "messages: first message must use the \"user\" role"},
			{"content-speaks", contentSpeaks("user", "assistant", "tool"), 400, "invalid_request_error", "messages.{i}: all messages must have non-empty content except for the optional final assistant message"},
			{"parts-whole", partsWhole(true), 400, "invalid_request_error", "messages: text content blocks must be non-empty"},
			{"tools-offered", toolsOffered, 400, "invalid_request_error", "Requests which include `tool_use` or `tool_result` blocks must define tools"},
			{"images-whole", imagesWhole, 400, "invalid_request_error", "messages.{i}.content.{part}.image.source.base64.media_type: Input should be 'image/jpeg', 'image/png', 'image/gif' or 'image/webp'"},
			{"call-named", eachCall(call.named), 400, "invalid_request_error", "messages.{i}.content.{call}.tool_use.name: String should have at least 1 character"},
			{"name-form", eachCall(namePattern(nameAnthropic)), 400, "invalid_request_error", "messages.{i}.content.{call}.tool_use.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'"},
			{"id-form", eachCall(idPattern(idAnthropic)), 400, "invalid_request_error", "messages.{i}.content.{call}.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'"},
			{"id-unique", idUnique, 400, "invalid_request_error", "messages.{i}: `tool_use` ids must be unique"},
			{"arguments-object", argumentsObject("", ""), 400, "invalid_request_error", "messages.{i}.content.{call}.tool_use.input: Input should be a valid dictionary"},
			{"result-of-call", resultOfCall, 400, "invalid_request_error", "messages.{i}: unexpected `tool_use_id` found in `tool_result` blocks: {id}. Each `tool_result` block must have a corresponding `tool_use` block in the previous message."},
			{"call-answered", callAnswered, 400, "invalid_request_error", "messages.{i}: `tool_use` ids were found without `tool_result` blocks immediately after: {ids}. Each `tool_use` block must have a corresponding `tool_result` block in the next message."},
			{"ends-open", endsAnswerable("", ""), 400, "invalid_request_error", "This model does not support assistant message prefill. The conversation must end with a user message."},
		},
	},
	"gemini": {
		unread: rule{name: "form", status: 400, text: "Invalid JSON payload received. Invalid value at '{path}': expected {want}, got {got}"},
		rules: []rule{
			{"model-named", modelNamed, 400, "", "model is not specified"},
			{"messages-there", messagesThere("system", "developer"), 400, "", "* GenerateContentRequest.contents: contents is not specified"},
			{"role-known", roleKnown("system", "developer", "user", "assistant", "tool"), 400, "", "Please use a valid role: user, model."},
			{"keys-known", keysKnown(knownGemini), 400, "", "Invalid JSON payload received. Unknown name \"{key}\": Cannot find field."},
			{"user-first", userFirst, 400, "", "Please ensure that function call turn comes immediately after a user turn or after a function response turn."},
			{"call-follows", callsFollow, 400, "", "Please ensure that function call turn comes immediately after a user turn or after a function response turn."},
			{"content-speaks", contentSpeaks("user", "assistant", "tool"), 400, "", "* GenerateContentRequest.contents[{i}].parts: contents.parts must not be empty."},
			{"parts-whole", partsWhole(true), 400, "", "* GenerateContentRequest.contents[{i}].parts[{part}].data: required oneof field 'data' must have one initialized field"},
			{"images-whole", imagesWhole, 400, "", "Unable to process input image. Unsupported MIME type: {media}"},
			{"call-named", eachCall(call.named), 400, "", "* GenerateContentRequest.contents[{i}].parts[{call}].function_call.name: Name cannot be empty."},
			{"name-form", eachCall(namePattern(nameGemini)), 400, "", "* GenerateContentRequest.contents[{i}].parts[{call}].function_call.name: Invalid function name. Must start with a letter or an underscore. Must be alphanumeric (a-z, A-Z, 0-9), underscores (_), dots (.), colons (:), or dashes (-), with a maximum length of 64."},
			{"arguments-object", argumentsObject("", ""), 400, "", "Invalid value at 'contents[{i}].parts[{call}].function_call.args' (type.googleapis.com/google.protobuf.Struct)"},
			{"as-many-results", asManyResults, 400, "", "Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn."},
			{"result-after-call", resultAfterCall, 400, "", "Please ensure that function response turn comes immediately after a function call turn."},
			{"ends-open", endsAnswerable("", ""), 400, "", "Please ensure that multiturn requests end with a user turn or a function response turn."},
			{"call-signed", callsSigned, 400, "", "Function call is missing a thought_signature in functionCall parts. This is required for tools to work correctly, and missing thought_signature may lead to degraded model performance. function call `{name}`"},
		},
	},
	"responses": {
		read: readResponses,
		unread: rule{
			name: "form", status: 400, code: "invalid_type",
			text: "Invalid type for '{path}': expected {want}, but got {got} instead.",
		},
		rules: responsesRules,
	},
	"strictest": {
		unread: rule{
			name: "form", status: 400,
			text: "We could not parse the JSON body of your request. Invalid type for '{path}': expected {want}, but got {got} instead.",
		},
		rules: strictestRules,
	},
}

// orderMistral says for each role which ones may follow it.
var orderMistral = map[string]string{
	"":          "system user assistant",
	"system":    "user assistant",
	"user":      "user assistant",
	"assistant": "user assistant tool",
	"tool":      "assistant tool",
}

const (
	// requestKeys are the keys of a request that all servers know.
	requestKeys = "model messages tools tool_choice parallel_tool_calls max_tokens temperature top_p stop stream n presence_penalty frequency_penalty response_format "

	partKeys = "type text image_url"
)

var knownOpenAI = known{
	request: requestKeys + "stream_options max_completion_tokens reasoning_effort seed user metadata store logprobs top_logprobs logit_bias modalities audio prediction service_tier verbosity safety_identifier prompt_cache_key prompt_cache_retention web_search_options",
	messages: map[string]string{
		"system": "role content name", "developer": "role content name", "user": "role content name",
		"assistant": "role content name refusal audio annotations tool_calls", "tool": "role content tool_call_id",
	},
	call: "id type function",
	part: partKeys + " input_audio file refusal",
}

var knownMistral = known{
	request: requestKeys + "random_seed safe_prompt prediction prompt_mode metadata",
	messages: map[string]string{
		"system": "role content", "user": "role content",
		"assistant": "role content tool_calls prefix", "tool": "role content tool_call_id name",
	},
	call: "id type function",
	part: partKeys,
}

var knownGemini = known{
	request: requestKeys + "stream_options max_completion_tokens reasoning_effort extra_body",
	messages: map[string]string{
		"system": "role content name", "developer": "role content name", "user": "role content name",
		"assistant": "role content name tool_calls extra_content", "tool": "role content tool_call_id name",
	},
	call: "id type function extra_content",
	part: partKeys,
}
