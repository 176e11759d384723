// What is behind all: lighter above, as the page around it is.
//
// It is drawn and not left to the page: a canvas that one sees through has to be mixed with what is behind it, which costs a
// third more where there is no graphics card.

import { BufferAttribute, BufferGeometry, type Camera, Color, Mesh, Scene, ShaderMaterial, type WebGLRenderer } from "three";

const VERTEX = /* glsl */ `
  varying vec2 place;
  void main() {
    place = position.xy;
    gl_Position = vec4(position.xy, 1.0, 1.0);
  }
`;

const FRAGMENT = /* glsl */ `
  uniform vec3 top, low;
  varying vec2 place;
  void main() {
    gl_FragColor = vec4(mix(top, low, min(length(vec2(place.x / 2.4, 0.5 - 0.5 * place.y)), 1.0)), 1.0);
  }
`;

export class Backdrop {
  private scene = new Scene();
  private uniforms = { top: { value: [0, 0, 0] }, low: { value: [0, 0, 0] } };

  constructor() {
    const geometry = new BufferGeometry();
    geometry.setAttribute("position", new BufferAttribute(new Float32Array([-1, -1, 0, 3, -1, 0, -1, 3, 0]), 3));
    const material = new ShaderMaterial({ vertexShader: VERTEX, fragmentShader: FRAGMENT, uniforms: this.uniforms, depthTest: false, depthWrite: false });
    const mesh = new Mesh(geometry, material);
    mesh.frustumCulled = false;
    this.scene.add(mesh);
  }

  /** Takes the colours, as style sheets write them. */
  paint(top: string, low: string): void {
    this.uniforms.top.value = new Color(top).convertLinearToSRGB().toArray();
    this.uniforms.low.value = new Color(low).convertLinearToSRGB().toArray();
  }

  draw(renderer: WebGLRenderer, camera: Camera): void {
    renderer.render(this.scene, camera);
  }
}
