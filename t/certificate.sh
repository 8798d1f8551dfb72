# shellcheck shell=bash
# A certificate that is renewed. After t/lib.sh.

# certificate NAME: into $T/tls as a kubelet does it, by one link
certificate() {
	mkdir "$T/tls.$1"
	openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 \
		-nodes -subj "/CN=$1" -addext subjectAltName=IP:127.0.0.1 \
		-days 2 -keyout "$T/tls.$1/tls.key" -out "$T/tls.$1/tls.crt" \
		2>/dev/null
	ln -sfn "tls.$1" "$T/tls.new"
	mv -T "$T/tls.new" "$T/tls"
}
