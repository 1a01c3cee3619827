package tool

import (
	"context"
	"encoding/json"
	"time"
)

// Now is a tool that says what time it is.
func Now(now func() time.Time) (Tool, Func) {
	return Tool{
		Name:        "now",
		Description: "The current local date and time, with the weekday and the time zone.",
		Parameters:  json.RawMessage(`{"type":"object","properties":{}}`),
		Companion:   true,
		Default:     Allow,
	}, func(context.Context, json.RawMessage) (string, error) {
		return now().Format("Monday, 2006-01-02T15:04:05-07:00 (MST)"), nil
	}
}
