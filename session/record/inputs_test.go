package record

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"winnow/history"
	"winnow/llm"
	"winnow/llm/tool"
	"winnow/session/store"
)

// TestDecisionKeepsEveryOption fails when an option is added that a replay does not know.
func TestDecisionKeepsEveryOption(t *testing.T) {
	var o history.Options
	value := reflect.ValueOf(&o).Elem()
	for i := range value.NumField() {
		fillIn(t, value.Field(i), i+1)
	}
	o.Turn = []history.Message{{ID: 7, Role: history.User, Content: "now"}}
	request := llm.Request{
		Model: "m", MaxTokens: 3, Effort: "low", Tools: []tool.Tool{
			{Name: "add", Parameters: json.RawMessage(`{"title":"<&>"}`)},
		},
	}
	client := llm.NewClient(llm.Endpoint{Name: "test", BaseURL: "https://me:secret@host.example:8443/v1?key=secret"})
	client.Learn("m", llm.Learned{Without: []string{"stream_options"}})
	var r store.Request
	made := InputsOf(9, o, history.Plan{Summary: &o.Summaries[0]})
	if err := made.FillRecord(&r, client, request); err != nil {
		t.Fatal(err)
	}
	raw := r.Options
	if strings.Contains(string(raw), "secret") {
		t.Errorf("the record holds a secret: %s", raw)
	}
	d, err := ParseRequestInputs(r)
	if err != nil {
		t.Fatal(err)
	}
	got := d.Options
	o.Count, o.Turn = nil, nil // messages are named by their ids
	if !reflect.DeepEqual(got, o) {
		t.Errorf("replayed with\n%+v\nwant\n%+v", got, o)
	}
	if d.Leaf != 9 || len(d.Turn) != 1 || d.Turn[0] != 7 || d.Base != "https://host.example:8443/v1" ||
		!reflect.DeepEqual(d.Request, request) {
		t.Errorf("the record says %s", raw)
	}
}

// fillIn gives a field a value that is not its zero.
func fillIn(t *testing.T, v reflect.Value, n int) {
	t.Helper()
	switch v.Kind() {
	case reflect.String:
		v.SetString(fmt.Sprint("text ", n))
	case reflect.Int, reflect.Int64:
		v.SetInt(int64(n))
	case reflect.Uint8: // a code
		v.SetUint(uint64(n%9 + 1))
	case reflect.Float64:
		v.SetFloat(float64(n) / 3)
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Struct:
		for i := range v.NumField() {
			fillIn(t, v.Field(i), 10*n+i)
		}
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fillIn(t, v.Elem(), n)
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		e := reflect.New(v.Type().Elem()).Elem()
		fillIn(t, e, n)
		v.SetMapIndex(reflect.ValueOf(int64(n)), e)
	case reflect.Slice:
		if v.Type().Elem().Kind() == reflect.Struct || v.Type().Elem().Kind() == reflect.Array { // not the turn
			v.Set(reflect.MakeSlice(v.Type(), 1, 1))
			fillIn(t, v.Index(0), n)
		}
	case reflect.Array:
		for i := range v.Len() {
			fillIn(t, v.Index(i), n+i)
		}
	case reflect.Func: // the counter
	default:
		t.Fatalf("an option is of kind %s; say here what it holds", v.Kind())
	}
}
