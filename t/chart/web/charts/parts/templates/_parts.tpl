{{- define "parts.labels" -}}
{{- $more := merge (.more | default dict) (dict "a" "c" "chart" .context.Chart.Name) -}}
{{- range $k, $v := $more }}
{{ $k }}: {{ $v | quote }}
{{- end }}
{{- end -}}
