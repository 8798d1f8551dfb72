{{/* The name of everything. */}}
{{- define "web.name" -}}
{{- printf "%s-%s" .Release.Name (default .Chart.Name .Values.nameOverride) | trunc 63 | trimSuffix "-" -}}
{{- end }}

{{- define "web.labels" }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
{{ include "web.selector" . }}
{{- with .Values.labels }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{- define "web.selector" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name | quote }}
{{- end }}

{{- /* Two that call each other. */}}
{{- define "web.even" -}}
{{- if eq (int .) 0 }}even{{ else }}{{ include "web.odd" (sub (int .) 1) }}{{ end -}}
{{- end -}}
{{- define "web.odd" -}}
{{- if eq (int .) 0 }}odd{{ else }}{{ include "web.even" (sub (int .) 1) }}{{ end -}}
{{- end -}}
{{- define "web.fruit.apple" }}red{{ end -}}
{{- define "web.fruit.pear" }}green{{ end -}}
