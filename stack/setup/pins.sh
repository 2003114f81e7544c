# What the set-up installs below .local/tools. A changed pin is installed again by the next make.
NODE_PIN=24.21.0
NPM_PIN=11.19.1
KAFKA_PIN=4.1.0
REGISTRY_PIN=3.0.9
REGISTRY_SHA256=2b28181501a20cbf6efcd77f9b7153908fc01f3d3a7c32024c0bd9e1b04c8a43
# The last one that the Go of Debian 12 builds; its own go.sum pins what it is built from.
TOXIPROXY_PIN=2.5.0
TOXIPROXY_SUM=h1:i4LPT+qrSlKNtQf5QliVjdP08GyAH8+BUIc9gT0eahc=
# Version 2 of the plugin fetches one artifact without reading the parents of its pom: Apicurio's parent pom is not
# published for every release, and later plugins stop there.
MAVEN_COPY_ONE=org.apache.maven.plugins:maven-dependency-plugin:2.10:copy
MAVEN_COPY_ALL=org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy-dependencies
